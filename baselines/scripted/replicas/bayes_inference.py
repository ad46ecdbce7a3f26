"""Mine probabilities of `bayes_source` in two ways with equal results: closed form, and pgmpy on the reduced network.

Both follow the program of Antolín & de la Torre (2018).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.bayes.network import Names, load_pgmpy, neighbour_lists, subnetwork, variable_elimination
from baselines.scripted.replicas.bayes_closed_form import COINS, is_clue, is_unknown, local_probabilities
from minesweeper_env.config import BoardConfig
from minesweeper_env.neighbours import neighbour_table

Board = NDArray[np.int8]


class ClosedForm:
    """Closed form of `bayes_closed_form`, for boards of one configuration."""

    def __init__(self, config: BoardConfig) -> None:
        """Compiles the kernel with one board."""
        self._density = config.mines / config.cells
        self._neighbours = neighbour_table(config.rows, config.cols, 1)
        self.mine_probabilities(np.zeros((1, config.cells), np.int8))

    def mine_probabilities(self, boards: Board) -> NDArray[np.float64]:
        """Returns (N, n) float64 probabilities for (N, n) int8 boards; see `local_probabilities`."""
        probabilities = np.empty(boards.shape)
        boards = np.ascontiguousarray(boards)
        # The scratch is made anew, because threads may share this object.
        positions, clues = np.full(boards.shape[1] + 1, -1, np.int64), np.empty((25, 3), np.int64)
        local_probabilities(boards, self._density, self._neighbours, COINS, positions, clues, probabilities)
        return probabilities


class LocalNetwork:
    """Reduced network of the program: it deletes nodes, and pgmpy eliminates the others."""

    def __init__(self, config: BoardConfig) -> None:
        """Loads pgmpy.

        Raises:
            MissingExtraError: pgmpy is not installed.
        """
        load_pgmpy()
        self._config = config
        self._names = Names(config)

    def mine_probability(self, board: Board, cell: int) -> float:
        """Returns the mine probability of a cell of an (n,) int8 board; NaN if the evidence contradicts itself."""
        neighbours, names = neighbour_lists(self._config), self._names
        queried = {cell, *(near for near in neighbours[cell] if is_unknown(board[near]))}
        clues = {near for unknown in queried for near in neighbours[unknown] if is_clue(board[near])}
        network = subnetwork(self._config, "binomial", queried, clues)
        deleted = [
            near
            for near in {n for clue in clues for n in neighbours[clue]}
            if is_unknown(board[near]) and near not in queried
        ]
        network.remove_nodes_from([names.x(near) for near in deleted])
        evidence: dict[str, Any] = {names.y(clue): int(board[clue]) for clue in clues}
        known = {near for clue in clues for near in neighbours[clue] if not is_unknown(board[near])}
        evidence.update((names.x(near), int(not is_clue(board[near]))) for near in known)
        with np.errstate(invalid="ignore"):
            answer = variable_elimination(network).query(
                [names.x(cell)], evidence, elimination_order="greedy", show_progress=False
            )
        return float(answer.values[1])
