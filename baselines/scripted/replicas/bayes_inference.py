"""The chances of `bayes_source` in two ways, which give the same: a closed form, and the source's own network."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.bayes.network import Names, load_pgmpy, neighbour_lists, subnetwork, variable_elimination
from baselines.scripted.replicas.bayes_closed_form import COINS, is_count, is_unknown, local_chances
from minesweeper_env.config import BoardConfig
from minesweeper_env.neighbours import neighbour_table

Board = NDArray[np.int8]


class ClosedForm:
    """The closed form of `source_rule`, for boards of one configuration."""

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to compute chances, and has the kernel compiled."""
        self._share = config.mines / config.cells
        self._around = neighbour_table(config.rows, config.cols, 1)
        self._places = np.full(config.cells + 1, -1, np.int64)
        self._counts = np.empty((25, 3), np.int64)
        self.chances(np.zeros((1, config.cells), np.int8))

    def chances(self, boards: Board) -> NDArray[np.float64]:
        """Returns (N, n) chances for (N, n) boards; see `local_chances`."""
        chances = np.empty(boards.shape)
        boards = np.ascontiguousarray(boards)
        local_chances(boards, self._share, self._around, COINS, self._places, self._counts, chances)
        return chances


class LocalNetwork:
    """The source's own way to its chances: it deletes nodes from the network and has pgmpy eliminate the others."""

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to ask about boards of this configuration.

        Raises:
            MissingExtraError: pgmpy is not installed.
        """
        load_pgmpy()
        self._config = config
        self._names = Names(config)

    def chance(self, board: Board, cell: int) -> float:
        """Returns the chance of a mine in a cell of a board (n,); NaN where the evidence contradicts itself."""
        around, names = neighbour_lists(self._config), self._names
        asked = {cell, *(near for near in around[cell] if is_unknown(board[near]))}
        counts = {near for unknown in asked for near in around[unknown] if is_count(board[near])}
        network = subnetwork(self._config, "binomial", asked, counts)
        deleted = [
            near
            for near in {n for count in counts for n in around[count]}
            if is_unknown(board[near]) and near not in asked
        ]
        network.remove_nodes_from([names.x(near) for near in deleted])
        evidence: dict[str, Any] = {names.y(count): int(board[count]) for count in counts}
        beside = {near for count in counts for near in around[count] if not is_unknown(board[near])}
        evidence.update((names.x(near), int(not is_count(board[near]))) for near in beside)
        with np.errstate(invalid="ignore"):
            answer = variable_elimination(network).query(
                [names.x(cell)], evidence, elimination_order="greedy", show_progress=False
            )
        return float(answer.values[1])
