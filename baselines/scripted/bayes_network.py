"""`bayes`: least posterior mine probability in the Bayesian network of the board.

Antolín & de la Torre (2018) propose the network and the choice of the likeliest safe cell. This policy computes the
posteriors exactly; `bayes_source` replays their program.

`NetworkPosteriors` uses pgmpy's variable elimination. The evidence says that open cells are free and show their clues.
A query uses only the relevant part of the network: the clues of covered cells are barren nodes, and the evidence
separates the components of the frontier. Nothing else is left out, so the posterior is exact. Their program deletes
parents of clues as well.
"""

import math
import warnings
from collections.abc import Iterable
from functools import cache, lru_cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.checks import import_extra, number_within
from baselines.policy import count_risky
from baselines.scripted.oracle_play.exact import ExactPolicy, choose_least_risks
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.config import BoardConfig, one_of
from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError, mine_probabilities_batch
from minesweeper_env.inference.kernels import TIE

Boards = NDArray[np.int8]
Probabilities = NDArray[np.float64]

MAX_ENTRIES = 1 << 26
"""Largest table allowed, in float64 entries: 512 MB."""

_CACHED_COMPONENTS = 4096


def subnetwork(config: BoardConfig, cells: Iterable[int], clues: Iterable[int]) -> Any:
    """Returns the pgmpy network of some cells and clues of a board: the part of the board's network that they span.

    Args:
        config: the board; its radius must be 1.
        cells: the cells with an X node (mine or not), as row * cols + col; neighbours of the clues are added.
        clues: the cells with a Y node (the clue), as row * cols + col.

    Raises:
        ValueError: the radius is larger than 1.
        MissingExtraError: pgmpy is not installed.
    """
    tabular_cpd, neighbours = load_pgmpy("factors.discrete").TabularCPD, neighbour_lists(config)
    clues, prior = sorted(clues), config.mines / config.cells
    cells = sorted(set(cells).union(*(neighbours[clue] for clue in clues)))
    cpds = [tabular_cpd(name_of(config, "X", cell), 2, [[1.0 - prior], [prior]]) for cell in cells]
    for clue in clues:
        parents = [name_of(config, "X", cell) for cell in neighbours[clue]]
        count = len(parents)
        cpds.append(tabular_cpd(name_of(config, "Y", clue), count + 1, sum_table(count), parents, [2] * count))
    network = load_pgmpy("models").DiscreteBayesianNetwork()
    network.add_nodes_from(cpd.variable for cpd in cpds)
    # `variables` lists the node itself, then its parents.
    network.add_edges_from((parent, cpd.variable) for cpd in cpds for parent in cpd.variables[1:])
    network.add_cpds(*cpds)
    return network


def name_of(config: BoardConfig, kind: str, cell: int) -> str:
    """Returns the name of a cell's node of a kind: "X" for its mine, "Y" for its clue."""
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
            PositionTooHardError: a query needs a table of more than `MAX_ENTRIES` entries, and is not run.
        """
        codes, board = self._config.codes, board.ravel()
        opened, mined = board <= codes.max_count, board == codes.mine
        unknown = set(np.flatnonzero(~opened & ~mined).tolist())
        pairs = [(clue, cell) for clue in np.flatnonzero(opened).tolist() for cell in self._neighbours[clue]]
        networkx = import_extra("networkx", "pgmpy")
        frontier = networkx.Graph((clue, cell) for clue, cell in pairs if cell in unknown)
        # No component holds the cells away from all clues, so they keep the prior.
        probabilities = np.where(opened, 0.0, np.where(mined, 1.0, self._config.mines / self._config.cells))
        for component in networkx.connected_components(frontier):
            clues = tuple((cell, int(board[cell])) for cell in sorted(component - unknown))
            around_clues = {cell for clue, _ in clues for cell in self._neighbours[clue]}
            mines = tuple(cell for cell in np.flatnonzero(mined).tolist() if cell in around_clues)
            for cell, probability in self._solve(clues, mines, tuple(sorted(component & unknown))).items():
                probabilities[cell] = probability
        return probabilities.reshape(self._config.rows, self._config.cols)

    def _solve_component(
        self, clues: tuple[tuple[int, int], ...], mines: tuple[int, ...], unknown: tuple[int, ...]
    ) -> dict[int, float]:
        """Returns the posterior of each unknown cell, by one query for all cells that have the same clues around them.

        `clues` holds pairs of an open cell and its clue; `mines` holds the known mines around these cells.
        """
        config = self._config
        # pgmpy refuses a clue above the number of neighbours.
        if any(clue > len(self._neighbours[cell]) for cell, clue in clues):
            return dict.fromkeys(unknown, math.nan)
        clue_cells = [cell for cell, _ in clues]
        network = subnetwork(config, unknown, clue_cells)
        # Cells of the network that are neither mines nor unknown are open, hence free.
        evidence = {node: 0 for node in network.nodes() if node[0] == "X"}
        evidence |= {name_of(config, "X", cell): 1 for cell in mines}
        evidence |= {name_of(config, "Y", cell): clue for cell, clue in clues}
        cells_by_clues: dict[frozenset[int], list[int]] = {}
        for cell in unknown:
            del evidence[name_of(config, "X", cell)]
            cells_by_clues.setdefault(frozenset(self._neighbours[cell]).intersection(clue_cells), []).append(cell)
        engine, probabilities = self._eliminate(network), dict.fromkeys(unknown, 0.0)
        for cells in cells_by_clues.values():
            probabilities |= dict.fromkeys(cells, self._query(engine, network, cells[0], evidence))
        return probabilities

    def _query(self, engine: Any, network: Any, cell: int, evidence: dict[str, int]) -> float:
        """Returns the posterior mine probability of a cell; NaN where the evidence contradicts itself."""
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
    """Returns the number of entries of the largest table in a query for a node, given the states of other nodes."""
    cardinalities = {name: int(network.get_cardinality(name)) for name in network.nodes() if name not in evidence}
    # opt_einsum breaks ties by operand order and node id, so both must be the same as pgmpy's.
    ids, operands = {name: index for index, name in enumerate(cardinalities)}, []
    for variable in network.nodes():
        scope = [name for name in network.get_cpds(variable).variables if name in cardinalities]
        if scope:
            # A table, then its axes. The plan needs only shapes; a broadcast scalar has one without the memory.
            operands += [np.broadcast_to(1.0, [cardinalities[name] for name in scope]), [ids[name] for name in scope]]
    contract_path = import_extra("opt_einsum", "pgmpy").contract_path
    _, plan = contract_path(*operands, [ids[node]], optimize="greedy")
    return int(plan.largest_intermediate)


class BayesPolicy(ExactPolicy):
    """Clicks a certainly safe cell if there is one, else a cell of least mine probability.

    It considers every covered cell, with or without an open neighbour. Its first click and its ties are those of
    `exact`, so the two policies differ in the prior alone; with the prior "count" they are the same. It has no
    randomness, and it never flags.
    """

    def __init__(
        self,
        config: BoardConfig,
        inference: str = "native",
        prior: str = "binomial",
        open_threshold: float = 1.0,
        flag_threshold: float = 1.0,
    ) -> None:
        """Checks the options, and compiles the kernels.

        Args:
            config: the games.
            inference: "native" for the compiled oracle, or "pgmpy" for variable elimination, which needs the prior
                "binomial"; the results are the same.
            prior: "binomial" for independent cells with mine probability mines / cells; "count" for a known number of
                mines, which gives the posterior of the game.
            open_threshold: probability of being safe from which a cell counts as certainly safe, 0 to 1.
            flag_threshold: mine probability from which a cell counts as a known mine when the other probabilities are
                computed, unless such mines contradict the clues, 0 to 1.

        Raises:
            ValueError: an option is not allowed, or the radius too large for pgmpy.
            MissingExtraError: `inference` is "pgmpy", which is not installed.
        """
        one_of("inference", inference, ("native", "pgmpy"))
        one_of("prior", prior, ("binomial", "count") if inference == "native" else ("binomial",))
        self._open_threshold = number_within("open_threshold", open_threshold, 0, 1)
        self._flag_threshold = number_within("flag_threshold", flag_threshold, 0, 1)
        self._prior = config.mines / config.cells if prior == "binomial" else None
        self._network = NetworkPosteriors(config) if inference == "pgmpy" else None
        self.batch_size = 1000 if self._network is None else 1
        self._neighbours = neighbour_table(config.rows, config.cols, config.radius)
        super().__init__(config)

    def ratings(self, observations: Boards) -> Probabilities:
        """Returns the (N, rows, cols) mine probabilities behind the choices; NaN where clues contradict themselves."""
        posteriors = self._posteriors(observations)
        if self._flag_threshold == 1:
            return posteriors
        assumed_mines = (observations > self.config.codes.max_count) & (posteriors >= self._flag_threshold)
        conditioned = self._posteriors(np.where(assumed_mines, np.int8(self.config.codes.mine), observations))
        contradicted = np.isnan(conditioned).any(axis=(1, 2), keepdims=True)
        return np.where(assumed_mines | contradicted, posteriors, conditioned)

    def _posteriors(self, observations: Boards) -> Probabilities:
        """Returns (N, rows, cols) mine probabilities; NaN where clues contradict themselves."""
        if self._network is not None:
            return np.stack([self._network.mine_probabilities(board) for board in observations])
        try:
            return mine_probabilities_batch(
                observations, self.config.mines, prior=self._prior, radius=self.config.radius
            )
        except InconsistentBoardError:
            if len(observations) == 1:
                return np.full(observations.shape, np.nan)
            # One contradictory board fails the whole batch, so each board is tried alone.
            return np.concatenate([self._posteriors(board[None]) for board in observations])

    def _choose(self, boards: Boards, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns the clicks, (N,), on (N, n) boards; a cell whose posterior is NaN counts as a mine."""
        posteriors = self.ratings(boards.reshape(-1, self.config.rows, self.config.cols))
        risks = np.nan_to_num(posteriors, nan=1.0).reshape(boards.shape)
        has_safe = np.asarray((legal & (risks <= TIE)).any(axis=1))
        has_open = np.asarray((boards <= self._max_count).any(axis=1))
        self.counters["guesses"] += count_risky(has_open[~has_safe], self.config)
        if self._open_threshold < 1:
            risks[risks <= 1 - self._open_threshold + TIE] = 0.0
        clicks = np.empty(len(boards), np.int64)
        choose_least_risks(boards, legal, self._max_count, self._first_cell, risks, self._neighbours, clicks)
        return clicks
