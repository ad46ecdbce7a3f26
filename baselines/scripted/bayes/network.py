"""Whole board as a Bayesian network of pgmpy, after Antolín & de la Torre (2018).

| node | states | table |
| --- | --- | --- |
| X_r_c | 1 if the cell in row r and column c is a mine, else 0 | prior: mines / cells, independent of the other cells |
| Y_r_c | clue of the cell, open or not | 1 for the number of mines among its parents, the X nodes of its neighbours |
| T_r_c | number of mines up to this cell in `sweep_order` | 1 for the previous total plus X_r_c |

The prior "binomial" has no T nodes, so the number of mines is random. The prior "count" adds them and observes the
last one as the number of mines. The prior of a cell then cancels out, and the posterior is that of the game.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.support.extras import import_extra
from minesweeper_env.config import BoardConfig
from minesweeper_env.neighbours import neighbour_table

PRIORS = ("binomial", "count")

MAX_RADIUS = 1
"""Largest neighbourhood radius: a clue of radius 2 has up to 24 parents, and a table of 25 * 2**24 entries."""


def board_network(config: BoardConfig, prior: str = "binomial") -> Any:
    """Returns the pgmpy `DiscreteBayesianNetwork` of a whole board.

    Args:
        config: the board; its radius must be 1.
        prior: "binomial" or "count".

    Raises:
        ValueError: the radius is larger than 1, or `prior` is unknown.
        MissingExtraError: pgmpy is not installed.
    """
    cells = range(config.cells)
    return subnetwork(config, prior, cells, cells)


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
    check_prior(prior)
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


def check_prior(prior: str) -> None:
    """Raises a ValueError if `prior` is not in `PRIORS`."""
    if prior not in PRIORS:
        raise ValueError(f"prior must be one of {', '.join(PRIORS)}, not {prior!r}")


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


def variable_elimination(network: Any) -> Any:
    """Returns pgmpy's `VariableElimination` of a network."""
    return _pgmpy("pgmpy.inference").VariableElimination(network)


def _pgmpy(module: str) -> ModuleType:
    with warnings.catch_warnings():
        # pgmpy's modules import each other by names that pgmpy has deprecated.
        warnings.simplefilter("ignore", FutureWarning)
        return import_extra(module, "pgmpy")
