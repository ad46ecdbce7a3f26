"""Exact posteriors by pgmpy's variable elimination on the network of a board.

Open cells are observed free, with their clues. A query uses only the relevant part of the network: the clues of
covered cells are barren, and the evidence separates the components of the frontier. Nothing else is left out, so the
posterior is exact; Antolín & de la Torre (2018) also delete parents of clues, see `bayes_source`.
"""

import math
import warnings
from collections.abc import Iterable
from functools import cache, lru_cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.checks import import_extra
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError

MAX_ENTRIES = 1 << 26
"""Largest table allowed, in float64 entries: 512 MB."""

_CACHED_COMPONENTS = 4096


def subnetwork(config: BoardConfig, cells: Iterable[int], clues: Iterable[int]) -> Any:
    """Returns the network of some cells and clues of a board, with the tables of the whole network.

    Args:
        config: the board; its radius must be 1.
        cells: the cells with an X node, as row * cols + col; neighbours of the clues are added.
        clues: the cells with a Y node.

    Raises:
        ValueError: the radius is larger than 1.
        MissingExtraError: pgmpy is not installed.
    """
    table, neighbours = load_pgmpy("factors.discrete").TabularCPD, neighbour_lists(config)
    clues, density = sorted(clues), config.mines / config.cells
    cells = sorted(set(cells).union(*(neighbours[clue] for clue in clues)))
    tables = [table(name_of(config, "X", cell), 2, [[1.0 - density], [density]]) for cell in cells]
    for clue in clues:
        parents = [name_of(config, "X", cell) for cell in neighbours[clue]]
        count = len(parents)
        tables.append(table(name_of(config, "Y", clue), count + 1, sum_table(count), parents, [2] * count))
    network = load_pgmpy("models").DiscreteBayesianNetwork()
    network.add_nodes_from(each.variable for each in tables)
    network.add_edges_from((parent, each.variable) for each in tables for parent in each.variables[1:])
    network.add_cpds(*tables)
    return network


def name_of(config: BoardConfig, kind: str, cell: int) -> str:
    """Returns the name of the node of a cell; X is its mine, Y its clue."""
    row, col = divmod(cell, config.cols)
    return f"{kind}_{row}_{col}"


@cache
def sum_table(parents: int) -> NDArray[np.float64]:
    """Returns the (parents + 1, 2**parents) table of a node that is the sum of its parents, each 0 or 1."""
    sums = np.indices((2,) * parents).sum(axis=0).ravel()
    return (np.arange(parents + 1)[:, None] == sums).astype(np.float64)


@cache
def neighbour_lists(config: BoardConfig) -> list[list[int]]:
    """Returns the neighbours of each cell, in reading order; raises ValueError for a radius above 1."""
    if config.radius > 1:
        # A clue of 24 parents has a table of 25 * 2**24 entries.
        raise ValueError(f"pgmpy needs radius 1, not {config.radius}: the table of a clue doubles with each neighbour")
    table = neighbour_table(config.rows, config.cols, config.radius)
    return [[int(cell) for cell in row if cell < config.cells] for row in table]


def load_pgmpy(module: str) -> ModuleType:
    """Imports a module of pgmpy, which takes seconds; raises MissingExtraError if pgmpy is not installed."""
    with warnings.catch_warnings():
        # pgmpy's modules import each other by names that pgmpy has deprecated.
        warnings.simplefilter("ignore", FutureWarning)
        return import_extra(f"pgmpy.{module}", "pgmpy")


class NetworkPosteriors:
    """Mine probabilities of visible boards, from the network of the board."""

    def __init__(self, config: BoardConfig) -> None:
        """Loads pgmpy, which must be installed; the radius of the board must be 1."""
        self._config = config
        self._neighbours = neighbour_lists(config)
        self._eliminate = load_pgmpy("inference").VariableElimination
        self._solve = lru_cache(_CACHED_COMPONENTS)(self._solve_component)

    def mine_probabilities(self, board: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns the (rows, cols) float64 posterior probabilities of a mine on a (rows, cols) int8 board.

        A cache answers for components that were solved before. If clues contradict each other, the unknown cells of
        their component are NaN.

        Raises:
            PositionTooHardError: a table would exceed `MAX_ENTRIES`; none of the query is made.
        """
        codes, board = self._config.codes, board.ravel()
        opened, mined = board <= codes.max_count, board == codes.mine
        covered = set(np.flatnonzero(~opened & ~mined).tolist())
        edges = [(clue, cell) for clue in np.flatnonzero(opened).tolist() for cell in self._neighbours[clue]]
        networkx = import_extra("networkx", "pgmpy")
        frontier = networkx.Graph(edge for edge in edges if edge[1] in covered)
        # No component holds the cells away from all clues, so they keep the prior.
        probabilities = np.where(opened, 0.0, np.where(mined, 1.0, self._config.mines / self._config.cells))
        for part in networkx.connected_components(frontier):
            clues = tuple((cell, int(board[cell])) for cell in sorted(part - covered))
            near = {cell for clue, _ in clues for cell in self._neighbours[clue]}
            mines = tuple(cell for cell in np.flatnonzero(mined).tolist() if cell in near)
            for cell, probability in self._solve(clues, mines, tuple(sorted(part & covered))).items():
                probabilities[cell] = probability
        return probabilities.reshape(self._config.rows, self._config.cols)

    def _solve_component(
        self, clues: tuple[tuple[int, int], ...], mines: tuple[int, ...], unknown: tuple[int, ...]
    ) -> dict[int, float]:
        """Returns the posterior of each unknown cell; cells with the same clues have the same, and one query.

        The clues are pairs of an open cell with an unknown neighbour and its clue; the mines are the known ones.
        """
        config = self._config
        network = subnetwork(config, unknown, [cell for cell, _ in clues])
        evidence = {node: 0 for node in network.nodes() if node[0] == "X"}
        evidence |= {name_of(config, "X", cell): 1 for cell in mines}
        evidence |= {name_of(config, "Y", cell): clue for cell, clue in clues}
        groups: dict[frozenset[int], list[int]] = {}
        for cell in unknown:
            del evidence[name_of(config, "X", cell)]
            groups.setdefault(frozenset(self._neighbours[cell]).intersection(dict(clues)), []).append(cell)
        engine, probabilities = self._eliminate(network), dict.fromkeys(unknown, 0.0)
        for equal in groups.values():
            probabilities |= dict.fromkeys(equal, self._query(engine, network, equal[0], evidence))
        return probabilities

    def _query(self, engine: Any, network: Any, cell: int, evidence: dict[str, int]) -> float:
        node = name_of(self._config, "X", cell)
        entries = largest_table(network, node, evidence)
        if entries > MAX_ENTRIES:
            raise PositionTooHardError(
                f"a position of {self._config.in_words} is too large for pgmpy: a table needs "
                f"2^{math.log2(entries):.1f} entries, and 2^{math.log2(MAX_ENTRIES):.0f} are allowed; "
                "inference='native' has no such bound"
            )
        # pgmpy divides 0 by 0 where the evidence contradicts itself.
        with np.errstate(invalid="ignore"):
            answer = engine.query([node], evidence, elimination_order="greedy", show_progress=False)
        return float(answer.values[1])


def largest_table(network: Any, node: str, evidence: dict[str, int]) -> int:
    """Returns the entries of the largest table in a query for a node, given the observed states of others."""
    cards = {name: int(network.get_cardinality(name)) for name in network.nodes() if name not in evidence}
    # opt_einsum breaks ties by operand order and node number, so both must be the same as pgmpy's.
    numbers, operands = {name: number for number, name in enumerate(cards)}, []
    for owner in network.nodes():
        scope = [name for name in network.get_cpds(owner).variables if name in cards]
        if scope:
            # The plan needs only shapes; a broadcast scalar has one without the memory.
            operands += [np.broadcast_to(1.0, [cards[name] for name in scope]), [numbers[name] for name in scope]]
    contract_path = import_extra("opt_einsum", "pgmpy").contract_path
    return int(contract_path(*operands, [numbers[node]], optimize="greedy")[1].largest_intermediate)
