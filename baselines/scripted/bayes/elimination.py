"""Exact posteriors by pgmpy's variable elimination on the network of a board.

Open cells are observed free, with their clues. A query uses only the relevant part of the network: the clues of
covered cells are barren, and the evidence separates the components of the frontier. Nothing else is left out, so the
posterior is exact; Antolín & de la Torre (2018) also delete parents of clues, see `bayes_source`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from baselines.support.extras import import_extra
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError

MAX_ENTRIES = 1 << 26
"""Largest table allowed, in float64 entries: 512 MB."""


def choose_order(config: BoardConfig, network: Any, node: str, evidence: dict[str, int]) -> tuple[Any, int]:
    """Returns the elimination order for a query, and the number of entries of its largest table.

    Args:
        config: the board.
        network: the network, or a relevant part of it.
        node: the queried node.
        evidence: the observed state of each observed node.
    """
    cards = {name: int(network.get_cardinality(name)) for name in network.nodes() if name not in evidence}
    # opt_einsum breaks ties by operand order and node number, so both must be the same as pgmpy's.
    scopes = [[name for name in network.get_cpds(owner).variables if name in cards] for owner in network.nodes()]
    scopes = [scope for scope in scopes if scope]
    sweep = [name for name in _sweep(config) if name in cards and name != node]
    greedy, swept = greedy_size(scopes, cards, node), elimination_size(scopes, cards, sweep)
    return ("greedy", greedy) if greedy <= swept else (sweep, swept)


def _sweep(config: BoardConfig) -> Iterator[str]:
    """Yields the nodes in sweep order; a running total is eliminated as soon as the next one includes it."""
    names, previous = Names(config), None
    for cell in sweep_order(config):
        if previous is not None:
            yield names.t(previous)
        yield names.x(cell)
        previous = cell


def elimination_size(scopes: Sequence[Sequence[str]], cards: dict[str, int], order: Sequence[str]) -> int:
    """Returns the number of entries of the largest table that elimination in this order makes.

    Args:
        scopes: the unobserved nodes of each table.
        cards: the number of states of each node.
        order: the nodes to eliminate.
    """
    tables = [frozenset(scope) for scope in scopes]
    largest = max((math.prod(cards[name] for name in table) for table in tables), default=1)
    for name in order:
        product = frozenset((name,)).union(*(table for table in tables if name in table))
        largest = max(largest, math.prod(cards[node] for node in product))
        tables = [table for table in tables if name not in table]
        tables.append(product - {name})
    return largest


def greedy_size(scopes: Sequence[Sequence[str]], cards: dict[str, int], node: str) -> int:
    """Returns the number of entries of the largest table under pgmpy's order "greedy"; see `elimination_size`."""
    numbers = {name: number for number, name in enumerate(cards)}
    operands: list[Any] = []
    for scope in scopes:
        # The plan needs only shapes; a broadcast scalar has one without the memory.
        operands += [np.broadcast_to(1.0, [cards[name] for name in scope]), [numbers[name] for name in scope]]
    _, plan = import_extra("opt_einsum", "pgmpy").contract_path(*operands, [numbers[node]], optimize="greedy")
    return int(plan.largest_intermediate)


def sweep_width(side: int) -> int:
    """Returns the maximum number of unknown cells in one table of a sweep along lines of `side` cells.

    An unknown cell is in a table only if it shares a clue with an eliminated cell. While the cell of column j is
    eliminated, the table can therefore hold

    - on its own line, the cells from column j on;
    - on the next line, all cells;
    - on the line after that, the cells up to column j + 2;
    - the queried cell, which is never eliminated and may lie elsewhere.

    Each clue that links them is an open cell and lowers the bound by one. Three cells of the third line need at least
    one clue on the next line; three cells of the next line beyond column j + 2 need one on the first.
    """
    most = 0
    for column in range(side):
        beyond, below = max(0, side - column - 3), min(side, column + 3)
        most = max(most, (side - column) - -(-beyond // 3) + side + below - -(-below // 3))
    return most + 1


def check_board(config: BoardConfig) -> None:
    """Raises a ValueError if independent cells could need a table above `MAX_ENTRIES` in some position of a board."""
    entries = 1 << min(sweep_width(min(config.rows, config.cols)), config.cells)
    if entries > MAX_ENTRIES:
        board = f"{config.rows}x{config.cols} with {config.mines} mines"
        raise ValueError(f"{board} is too large for pgmpy: a table could need {_bound(entries)}")


def check_position(config: BoardConfig, entries: int) -> None:
    """Raises a PositionTooHardError if the largest table of a query, with `entries`, is above `MAX_ENTRIES`."""
    if entries > MAX_ENTRIES:
        board = f"{config.rows}x{config.cols} with {config.mines} mines"
        raise PositionTooHardError(f"a position of {board} is too large for pgmpy: a table needs {_bound(entries)}")


def _bound(entries: int) -> str:
    allowed = f"2^{math.log2(MAX_ENTRIES):.0f} are allowed; inference='native' has no such bound"
    return f"2^{math.log2(entries):.1f} entries, and {allowed}"


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
