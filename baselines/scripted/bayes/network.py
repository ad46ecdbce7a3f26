"""A whole board as a Bayesian network of pgmpy: what its nodes, edges and tables are, a picture, and a BIF file.

X_r_c is 1 if the cell in row r and column c is a mine, and 0 if it is free; its prior is the share of mines on the
board, independently of the other cells. Y_r_c is the count that the cell shows, or would show: the number of its
neighbours that are mines, so that these are its parents and its table holds nothing but 0 and 1.

Under the prior "binomial" that is all, and the number of mines on the board is random. Under the prior "count" it
is known: T_r_c is the number of mines among the cells up to that one, in the order of `sweep_order`, and the last of
these nodes is observed. The share of mines cancels out then, and the posterior is that of the game itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.support.extras import import_extra
from minesweeper_env.config import BoardConfig
from minesweeper_env.neighbours import neighbour_table

PRIORS = ("binomial", "count")

MAX_RADIUS = 1
"""A count of radius 2 has up to 24 parents, and so a table of 25 * 2**24 entries."""


def board_network(config: BoardConfig, prior: str = "binomial") -> Any:
    """Returns the pgmpy `DiscreteBayesianNetwork` of a whole board.

    Args:
        config: the board; of radius 1.
        prior: "binomial" or "count".

    Raises:
        ValueError: the radius is larger, or there is no such prior.
        MissingExtraError: pgmpy is not installed.
    """
    cells = range(config.cells)
    return part_network(config, prior, cells, cells)


def part_network(config: BoardConfig, prior: str, cells: Iterable[int], counts: Iterable[int]) -> Any:
    """Returns the part of the network of a board that has these cells and counts, every table as in the whole.

    Args:
        config: the board; of radius 1.
        prior: "binomial"; or "count", whose part has all cells, since the number of mines depends on all.
        cells: those whose X node is wanted, as row * cols + col; the neighbours of the counts come by themselves.
        counts: the cells whose Y node is wanted.

    Raises:
        ValueError: the radius is larger than 1, or there is no such prior.
        MissingExtraError: pgmpy is not installed.
    """
    check_prior(prior)
    check_radius(config)
    counts = sorted(counts)
    around = neighbours(config)
    roots = set(cells).union(*(around[cell] for cell in counts))
    names = Names(config)
    table = load_pgmpy().TabularCPD
    share = config.mines / config.cells
    network = _pgmpy("pgmpy.models").DiscreteBayesianNetwork()
    network.add_nodes_from(names.x(cell) for cell in sorted(roots))
    tables = [table(names.x(cell), 2, [[1.0 - share], [share]]) for cell in sorted(roots)]
    for cell in counts:
        parents = [names.x(neighbour) for neighbour in around[cell]]
        network.add_node(names.y(cell))
        network.add_edges_from((parent, names.y(cell)) for parent in parents)
        tables.append(
            table(names.y(cell), len(parents) + 1, count_table(len(parents)), parents, [2] * len(parents))
            if parents
            else table(names.y(cell), 1, [[1.0]])
        )
    if prior == "count":
        tables += _add_totals(network, config, names)
    network.add_cpds(*tables)
    return network


def _add_totals(network: Any, config: BoardConfig, names: Names) -> list[Any]:
    """Adds the chain of running totals to a network; returns its tables."""
    table = load_pgmpy().TabularCPD
    before, states = None, 1
    tables = []
    for cell in sweep_order(config):
        parents = [names.x(cell)] if before is None else [names.t(before), names.x(cell)]
        values = total_table(states, config.mines)
        network.add_node(names.t(cell))
        network.add_edges_from((parent, names.t(cell)) for parent in parents)
        cards = [2] if before is None else [states, 2]
        tables.append(table(names.t(cell), len(values), values, parents, cards))
        before, states = cell, len(values)
    return tables


class Names:
    """The names of the nodes of a board."""

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to name cells, given as row * cols + col."""
        self._cols = config.cols

    def x(self, cell: int) -> str:
        """Returns the name of the node that says whether a cell is a mine."""
        return f"X_{cell // self._cols}_{cell % self._cols}"

    def y(self, cell: int) -> str:
        """Returns the name of the node of the count of a cell."""
        return f"Y_{cell // self._cols}_{cell % self._cols}"

    def t(self, cell: int) -> str:
        """Returns the name of the node of the number of mines up to a cell."""
        return f"T_{cell // self._cols}_{cell % self._cols}"


@cache
def count_table(parents: int) -> NDArray[np.float64]:
    """Returns the (parents + 1, 2**parents) table of a count: 1 where the row is the number of mined parents."""
    mined = np.array([combination.bit_count() for combination in range(1 << parents)])
    return (np.arange(parents + 1)[:, None] == mined).astype(np.float64)


@cache
def total_table(before: int, mines: int) -> NDArray[np.float64]:
    """Returns the (states, 2 * before) table of a running total, whose column is 2 * total before + mine.

    The totals are 0 to `mines`, and one more state for all larger ones.

    Args:
        before: the number of states of the total before this cell.
        mines: the number of mines on the board.
    """
    states = min(before + 1, mines + 2)
    total = np.minimum(np.arange(before)[:, None] + np.arange(2), states - 1).ravel()
    return (np.arange(states)[:, None] == total).astype(np.float64)


@cache
def neighbours(config: BoardConfig) -> list[list[int]]:
    """Returns, for each cell, its neighbours in reading order."""
    table = neighbour_table(config.rows, config.cols, config.radius)
    return [[int(cell) for cell in row if cell < config.cells] for row in table]


@cache
def sweep_order(config: BoardConfig) -> list[int]:
    """Returns the cells line by line, the lines being as short as the board allows."""
    cells = np.arange(config.cells).reshape(config.rows, config.cols)
    return [int(cell) for cell in (cells if config.cols <= config.rows else cells.T).ravel()]


def check_prior(prior: str) -> None:
    """Raises a ValueError if there is no such prior."""
    if prior not in PRIORS:
        raise ValueError(f"prior must be one of {', '.join(PRIORS)}, not {prior!r}")


def check_radius(config: BoardConfig) -> None:
    """Raises a ValueError if the counts of a board have too many parents for a table."""
    if config.radius > MAX_RADIUS:
        raise ValueError(
            f"the network of a board needs radius {MAX_RADIUS}, not {config.radius}: "
            "the table of a count doubles with each of its neighbours"
        )


def write_bif(network: Any, path: str | Path) -> None:
    """Writes a network to a file in the Bayesian interchange format, which `read_bif` and other programs read."""
    _pgmpy("pgmpy.readwrite").BIFWriter(network).write(str(path))


def read_bif(path: str | Path) -> Any:
    """Returns the network of a BIF file that `write_bif` wrote; reading takes seconds."""
    return _pgmpy("pgmpy.readwrite").BIFReader(str(path)).get_model(state_name_type=int)


def draw_network(network: Any, path: str | Path, evidence: Mapping[str, int] | Collection[str] = ()) -> None:
    """Draws the network of a board, or a part of it, to a picture file such as a PNG.

    The nodes of a cell stand together, at the place of the cell; observed ones are dark, and show what was
    observed if `evidence` is a mapping.
    """
    figures = import_extra("matplotlib.figure")
    places = {node: _place(node) for node in network.nodes()}
    size = np.ptp(np.array(list(places.values())), axis=0) + 1.0
    figure = figures.Figure(figsize=(1.1 * size[0], 1.1 * size[1]))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_aspect("equal")
    for source, target in network.edges():
        arrow = {"arrowstyle": "-|>", "color": "0.6", "lw": 0.6, "shrinkA": 9, "shrinkB": 9}
        axes.annotate("", places[target], places[source], arrowprops=arrow, zorder=1)
    for node, (x, y) in places.items():
        observed = node in evidence
        label = f"{node}\n= {evidence[node]}" if observed and isinstance(evidence, Mapping) else node
        colours = {"X": "#f4a582", "Y": "#92c5de", "T": "#d9d9d9"}
        box = {"boxstyle": "circle", "fc": "#404040" if observed else colours[node[0]], "ec": "0.3", "lw": 0.6}
        axes.text(x, y, label, size=5, ha="center", va="center", color="w" if observed else "k", bbox=box, zorder=2)
    low, high = np.array(list(places.values())).min(axis=0), np.array(list(places.values())).max(axis=0)
    axes.set_xlim(low[0] - 0.4, high[0] + 0.4)
    axes.set_ylim(low[1] - 0.4, high[1] + 0.4)
    figure.savefig(path, dpi=150)


def _place(node: str) -> tuple[float, float]:
    kind, row, col = node.split("_")
    across, down = {"X": (0.0, 0.0), "Y": (0.5, 0.5), "T": (-0.3, 0.4)}[kind]
    return int(col) + across, -int(row) - down


def load_pgmpy() -> ModuleType:
    """Loads what the networks need of pgmpy, which takes seconds; returns the module of the tables.

    Raises:
        MissingExtraError: pgmpy is not installed.
    """
    for module in ("pgmpy.models", "pgmpy.inference"):
        _pgmpy(module)
    return _pgmpy("pgmpy.factors.discrete")


def variable_elimination(network: Any) -> Any:
    """Returns pgmpy's `VariableElimination` of a network."""
    return _pgmpy("pgmpy.inference").VariableElimination(network)


def _pgmpy(module: str) -> ModuleType:
    with warnings.catch_warnings():
        # pgmpy's own modules import each other by names that it has deprecated.
        warnings.simplefilter("ignore", FutureWarning)
        return import_extra(module)
