"""Exact posteriors by pgmpy's variable elimination on the network of a board.

Open cells are observed free, with their clues. A query uses only the relevant part of the network: the clues of
covered cells are barren, and the evidence separates the components of the frontier. Nothing else is left out, so the
posterior is exact; Antolín & de la Torre (2018) also delete parents of clues, see `bayes_source`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.support.board_names import board_of
from baselines.support.checks import one_of
from baselines.support.extras import import_extra
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError

PRIORS = ("binomial", "count")

MAX_RADIUS = 1
"""Largest neighbourhood radius: a clue of radius 2 has up to 24 parents, and a table of 25 * 2**24 entries."""


def subnetwork(config: BoardConfig, prior: str, cells: Iterable[int], clues: Iterable[int]) -> Any:
    """Returns the network of some cells and clues of a board, with the tables of the whole network.

    Args:
        config: the board; its radius must be 1.
        prior: "binomial" or "count"; under "count" `cells` must be all cells, since the total depends on them.
        cells: the cells with an X node, as row * cols + col; neighbours of the clues are added.
        clues: the cells with a Y node.

    Raises:
        ValueError: the radius is larger than 1, or `prior` is unknown.
        MissingExtraError: pgmpy is not installed.
    """
    one_of("prior", prior, PRIORS)
    check_radius(config)
    clues = sorted(clues)
    neighbours = neighbour_lists(config)
    roots = set(cells).union(*(neighbours[cell] for cell in clues))
    names = Names(config)
    table = load_pgmpy().TabularCPD
    density = config.mines / config.cells
    network = _pgmpy("pgmpy.models").DiscreteBayesianNetwork()
    network.add_nodes_from(names.x(cell) for cell in sorted(roots))
    tables = [table(names.x(cell), 2, [[1.0 - density], [density]]) for cell in sorted(roots)]
    for cell in clues:
        parents = [names.x(neighbour) for neighbour in neighbours[cell]]
        network.add_node(names.y(cell))
        network.add_edges_from((parent, names.y(cell)) for parent in parents)
        tables.append(
            table(names.y(cell), len(parents) + 1, clue_table(len(parents)), parents, [2] * len(parents))
            if parents
            else table(names.y(cell), 1, [[1.0]])
        )
    if prior == "count":
        tables += _add_totals(network, config, names)
    network.add_cpds(*tables)
    return network


def _add_totals(network: Any, config: BoardConfig, names: Names) -> list[Any]:
    """Adds the chain of running totals to a network; returns their tables."""
    table = load_pgmpy().TabularCPD
    previous, states = None, 1
    tables = []
    for cell in sweep_order(config):
        parents = [names.x(cell)] if previous is None else [names.t(previous), names.x(cell)]
        values = total_table(states, config.mines)
        network.add_node(names.t(cell))
        network.add_edges_from((parent, names.t(cell)) for parent in parents)
        cards = [2] if previous is None else [states, 2]
        tables.append(table(names.t(cell), len(values), values, parents, cards))
        previous, states = cell, len(values)
    return tables


class Names:
    """Node names of the cells of a board."""

    def __init__(self, config: BoardConfig) -> None:
        """Stores the width of the board; cells are numbered row * cols + col."""
        self._cols = config.cols

    def x(self, cell: int) -> str:
        """Returns the name of the mine node of a cell."""
        return f"X_{cell // self._cols}_{cell % self._cols}"

    def y(self, cell: int) -> str:
        """Returns the name of the clue node of a cell."""
        return f"Y_{cell // self._cols}_{cell % self._cols}"

    def t(self, cell: int) -> str:
        """Returns the name of the running-total node of a cell."""
        return f"T_{cell // self._cols}_{cell % self._cols}"


@cache
def clue_table(parents: int) -> NDArray[np.float64]:
    """Returns the (parents + 1, 2**parents) table of a clue: 1 where the row is the number of mined parents."""
    mined = np.array([combination.bit_count() for combination in range(1 << parents)])
    return (np.arange(parents + 1)[:, None] == mined).astype(np.float64)


@cache
def total_table(previous: int, mines: int) -> NDArray[np.float64]:
    """Returns the (states, 2 * previous) table of a running total; its columns are 2 * previous total + mine.

    The states are the totals 0 to `mines`, and one more for all larger totals.

    Args:
        previous: the number of states of the previous total.
        mines: the number of mines on the board.
    """
    states = min(previous + 1, mines + 2)
    total = np.minimum(np.arange(previous)[:, None] + np.arange(2), states - 1).ravel()
    return (np.arange(states)[:, None] == total).astype(np.float64)


@cache
def neighbour_lists(config: BoardConfig) -> list[list[int]]:
    """Returns the neighbours of each cell, in reading order."""
    table = neighbour_table(config.rows, config.cols, config.radius)
    return [[int(cell) for cell in row if cell < config.cells] for row in table]


@cache
def sweep_order(config: BoardConfig) -> list[int]:
    """Returns the cells line by line along the shorter side of the board."""
    cells = np.arange(config.cells).reshape(config.rows, config.cols)
    return [int(cell) for cell in (cells if config.cols <= config.rows else cells.T).ravel()]


def check_radius(config: BoardConfig) -> None:
    """Raises a ValueError if the radius of a board exceeds `MAX_RADIUS`."""
    if config.radius > MAX_RADIUS:
        raise ValueError(
            f"the network of a board needs radius {MAX_RADIUS}, not {config.radius}: "
            "the table of a clue doubles with each of its neighbours"
        )


def load_pgmpy() -> ModuleType:
    """Imports pgmpy, which takes seconds; returns its module of tables.

    Raises:
        MissingExtraError: pgmpy is not installed.
    """
    for module in ("pgmpy.models", "pgmpy.inference"):
        _pgmpy(module)
    return _pgmpy("pgmpy.factors.discrete")


def _pgmpy(module: str) -> ModuleType:
    with warnings.catch_warnings():
        # pgmpy's modules import each other by names that pgmpy has deprecated.
        warnings.simplefilter("ignore", FutureWarning)
        return import_extra(module, "pgmpy")


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
        raise ValueError(f"{board_of(config)} is too large for pgmpy: a table could need {_bound(entries)}")


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
            prior: "binomial" or "count"; see `baselines.scripted.bayes_network`.

        Raises:
            ValueError: `prior` is unknown, or independent cells could need a table above
                `MAX_ENTRIES` on this board.
            MissingExtraError: pgmpy is not installed.
        """
        one_of("prior", prior, PRIORS)
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
            PositionTooHardError: a table would exceed `MAX_ENTRIES`, which can happen only under the
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
        cells = range(config.cells) if self._prior == "count" else component.unknown
        network = subnetwork(config, self._prior, cells, [cell for cell, _ in component.clues])
        unobserved = {names.x(cell) for cell in component.unknown}
        evidence = {names.y(cell): clue for cell, clue in component.clues}
        evidence.update((node, 0) for node in network.nodes() if node[0] == "X" and node not in unobserved)
        evidence.update((names.x(cell), 1) for cell in component.mines)
        if self._prior == "count":
            evidence[names.t(sweep_order(config)[-1])] = config.mines
        engine = _pgmpy("pgmpy.inference").VariableElimination(network)
        probabilities: dict[int, float] = {}
        for equal in exchangeable(component, neighbour_lists(config)):
            self.queries += 1
            probabilities.update(dict.fromkeys(equal, self._query(engine, network, names.x(equal[0]), evidence)))
        return probabilities

    def _query(self, engine: Any, network: Any, node: str, evidence: dict[str, int]) -> float:
        order, entries = choose_order(self._config, network, node, evidence)
        if entries > MAX_ENTRIES:
            board = board_of(self._config)
            raise PositionTooHardError(f"a position of {board} is too large for pgmpy: a table needs {_bound(entries)}")
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
