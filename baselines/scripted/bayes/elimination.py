"""Exact posteriors by pgmpy's variable elimination on the network of a board.

Open cells are observed free, with their clues. A query uses only the relevant part of the network: the clues of
covered cells are barren, and the evidence separates the components of the frontier. Nothing else is left out, so the
posterior is exact; Antolín & de la Torre (2018) also delete parents of clues, see `baselines.scripted.replicas`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.bayes.elimination_cost import check_board, check_position, choose_order
from baselines.scripted.bayes.network import (
    Names,
    check_prior,
    check_radius,
    load_pgmpy,
    neighbour_lists,
    subnetwork,
    sweep_order,
    variable_elimination,
)
from minesweeper_env.config import BoardConfig

_CACHED_COMPONENTS = 4096


class Component(NamedTuple):
    """Connected component of the frontier: the evidence separates it from the others.

    Attributes:
        clues: (cell, clue) of each open cell of the component.
        mines: the neighbours of these cells that are known to be mines.
        unknown: the cells whose nodes are not observed.
    """

    clues: tuple[tuple[int, int], ...]
    mines: tuple[int, ...]
    unknown: tuple[int, ...]


class NetworkPosteriors:
    """Mine probabilities of visible boards, from the network of the board.

    Attributes:
        queries: the number of runs of variable elimination so far.
    """

    def __init__(self, config: BoardConfig, prior: str = "binomial") -> None:
        """Checks the board and loads pgmpy.

        Args:
            config: the boards.
            prior: "binomial" or "count"; see `baselines.scripted.bayes.network`.

        Raises:
            ValueError: `prior` is unknown, or independent cells could need a table above
                `elimination_cost.MAX_ENTRIES` on this board.
            MissingExtraError: pgmpy is not installed.
        """
        check_prior(prior)
        check_radius(config)
        check_board(config)
        load_pgmpy()
        self.queries = 0
        self._config = config
        self._prior = prior
        self._names = Names(config)
        self._solve = lru_cache(_CACHED_COMPONENTS)(self._solve_component)

    def mine_probabilities(self, board: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns the (rows, cols) float64 posterior probabilities of a mine on a (rows, cols) int8 board.

        A cache answers for components that were solved before. If clues contradict each other, the unknown cells of
        their component are NaN.

        Raises:
            PositionTooHardError: a table would exceed `elimination_cost.MAX_ENTRIES`, which can happen only under the
                prior "count". The check comes before any table of the query is made.
        """
        codes = self._config.codes
        flat = board.ravel()
        # Under "binomial" no component holds the cells away from all clues, so they keep the prior.
        probabilities = np.where(flat <= codes.max_count, 0.0, self._config.mines / self._config.cells)
        probabilities[flat == codes.mine] = 1.0
        for component in self._components(flat):
            for cell, probability in self._solve(component).items():
                probabilities[cell] = probability
        return probabilities.reshape(board.shape)

    def _components(self, board: NDArray[np.int8]) -> Iterator[Component]:
        """Yields the components of a board; under the prior "count" the whole board is one."""
        codes, neighbours = self._config.codes, neighbour_lists(self._config)
        covered = {int(cell) for cell in np.flatnonzero((board > codes.max_count) & (board != codes.mine))}
        mines = {int(cell) for cell in np.flatnonzero(board == codes.mine)}
        opened = np.flatnonzero(board <= codes.max_count)
        scopes = {int(cell): covered.intersection(neighbours[cell]) for cell in opened}
        scopes = {cell: unknown for cell, unknown in scopes.items() if unknown}
        for cells in [list(scopes)] if self._prior == "count" else linked_clues(scopes):
            clues = tuple((cell, int(board[cell])) for cell in sorted(cells))
            if self._prior == "count":
                yield Component(clues, tuple(sorted(mines)), tuple(sorted(covered)))
                continue
            near = mines.intersection(chain.from_iterable(neighbours[cell] for cell in cells))
            unknown = set(chain.from_iterable(scopes[cell] for cell in cells))
            yield Component(clues, tuple(sorted(near)), tuple(sorted(unknown)))

    def _solve_component(self, component: Component) -> dict[int, float]:
        """Returns the posterior of each unknown cell; cells with the same clues have the same, and one query."""
        config, names = self._config, self._names
        network = subnetwork(config, self._prior, self._cells(component), [cell for cell, _ in component.clues])
        unobserved = {names.x(cell) for cell in component.unknown}
        evidence = {names.y(cell): clue for cell, clue in component.clues}
        evidence.update((node, 0) for node in network.nodes() if node[0] == "X" and node not in unobserved)
        evidence.update((names.x(cell), 1) for cell in component.mines)
        if self._prior == "count":
            evidence[names.t(sweep_order(config)[-1])] = config.mines
        engine = variable_elimination(network)
        probabilities: dict[int, float] = {}
        for cells in exchangeable(component, neighbour_lists(config)):
            self.queries += 1
            probabilities.update(dict.fromkeys(cells, self._query(engine, network, names.x(cells[0]), evidence)))
        return probabilities

    def _cells(self, component: Component) -> Sequence[int]:
        return range(self._config.cells) if self._prior == "count" else component.unknown

    def _query(self, engine: Any, network: Any, node: str, evidence: dict[str, int]) -> float:
        order, entries = choose_order(self._config, network, node, evidence)
        check_position(self._config, entries)
        # pgmpy divides 0 by 0 where the evidence contradicts itself.
        with np.errstate(invalid="ignore"):
            answer = engine.query([node], evidence, elimination_order=order, show_progress=False)
        return float(answer.values[1])


def linked_clues(scopes: dict[int, set[int]]) -> list[list[int]]:
    """Returns the connected components of the clues, where clues that share an unknown cell are adjacent.

    Args:
        scopes: the unknown neighbours of each clue, at least one each.
    """
    groups: list[tuple[list[int], set[int]]] = []
    for clue, cells in scopes.items():
        apart, clues, reached = [], [clue], set(cells)
        for group in groups:
            if group[1] & cells:
                clues, reached = group[0] + clues, group[1] | reached
            else:
                apart.append(group)
        groups = [*apart, (clues, reached)]
    return [clues for clues, _ in groups]


def exchangeable(component: Component, neighbours: Sequence[Sequence[int]]) -> list[list[int]]:
    """Returns the unknown cells of a component, grouped by the clues that they neighbour."""
    clues = frozenset(cell for cell, _ in component.clues)
    groups: dict[frozenset[int], list[int]] = {}
    for cell in component.unknown:
        groups.setdefault(clues.intersection(neighbours[cell]), []).append(cell)
    return list(groups.values())
