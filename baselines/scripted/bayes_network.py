"""The counts of a board as a Bayesian network: X nodes for the cells, Y nodes for the counts.

X_c says whether the cell c is a mine; its prior is the share of mines on the board, independently of the
other cells. Y_k is what the count k shows: the number of mines among its parents, which are the unknown
cells beside it. Open cells are X nodes observed free, and known mines X nodes observed mined; both are roots,
so observing them amounts to leaving them out of the tables. Independent priors are not the game's own, which
fixes the number of mines; the posterior is exact for the network, not for the game.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.extras import import_extra

MAX_PARENTS = 12
"""The most unknown cells beside a count that becomes a node; its table has 2**parents columns."""

MAX_TABLE_BITS = 22
"""The binary logarithm of the largest table that an elimination may need, which is 32 MB here. A network of so
many X nodes never needs more."""


@dataclass(frozen=True)
class Count:
    """A count that an open cell shows.

    Attributes:
        cells: the unknown cells beside it, at least one.
        mines: how many of them are mines.
    """

    cells: frozenset[int]
    mines: int


def mine_posteriors(counts: Sequence[Count], prior: float) -> dict[int, float]:
    """Returns the posterior probability of a mine for each cell beside a count.

    Cells beside exactly the same counts are exchangeable, so that one query serves them all. Where the counts
    linked to a cell are too many to eliminate its neighbours, the query takes only the nearest into account.

    Args:
        counts: the counts, which must not contradict each other.
        prior: the probability of a mine in each cell before any count is seen, in (0, 1).
    """
    counts = [count for count in counts if len(count.cells) <= MAX_PARENTS]
    engines: dict[tuple[Count, ...], Any] = {}
    posteriors = {}
    for cells in exchangeable_cells(counts):
        linked = tuple(linked_counts(counts, cells[0]))
        if not _is_tractable(linked):
            linked = tuple(linked_counts(counts, cells[0], MAX_TABLE_BITS))
        if linked not in engines:
            engines[linked] = _pgmpy("pgmpy.inference").VariableElimination(build_network(linked, prior))
        posteriors.update(dict.fromkeys(cells, _query(engines[linked], linked, cells[0])))
    return posteriors


def exchangeable_cells(counts: Sequence[Count]) -> list[list[int]]:
    """Returns the cells beside the counts, in groups that are beside exactly the same ones."""
    beside: dict[int, list[int]] = {}
    for index, count in enumerate(counts):
        for cell in count.cells:
            beside.setdefault(cell, []).append(index)
    groups: dict[tuple[int, ...], list[int]] = {}
    for cell in sorted(beside):
        groups.setdefault(tuple(beside[cell]), []).append(cell)
    return list(groups.values())


def linked_counts(counts: Sequence[Count], cell: int, most_cells: int | None = None) -> list[Count]:
    """Returns the counts that are linked to a cell, by way of any others, in the order of `counts`.

    Given `most_cells`, it takes the counts in the order of their distance from the cell, as long as the cells
    beside them are no more than that.
    """
    cells = {cell}
    taken: set[int] = set()
    refused: set[int] = set()
    while True:
        ring = [i for i, count in enumerate(counts) if i not in taken | refused and count.cells & cells]
        if not ring:
            return [counts[i] for i in sorted(taken)]
        for index in ring:
            if most_cells is None or len(cells | counts[index].cells) <= most_cells:
                cells |= counts[index].cells
                taken.add(index)
            else:
                refused.add(index)


@lru_cache(maxsize=1024)
def _is_tractable(counts: tuple[Count, ...]) -> bool:
    """Says whether the greedy order eliminates the cells without a table larger than allowed."""
    cells = sorted(frozenset().union(*(count.cells for count in counts)))
    if len(cells) <= MAX_TABLE_BITS:
        return True
    tables = [[cell] for cell in cells] + [sorted(count.cells) for count in counts]
    # Arrays that have a shape and take no room.
    operands = [part for table in tables for part in (np.broadcast_to(1.0, (2,) * len(table)), table)]
    _, plan = import_extra("opt_einsum").contract_path(*operands, [], optimize="greedy")
    return bool(plan.largest_intermediate <= 1 << MAX_TABLE_BITS)


def build_network(counts: Sequence[Count], prior: float) -> Any:
    """Returns the pgmpy `DiscreteBayesianNetwork` of these counts."""
    factors = _pgmpy("pgmpy.factors.discrete")
    network = _pgmpy("pgmpy.models").DiscreteBayesianNetwork()
    for cell in sorted(frozenset().union(*(count.cells for count in counts))):
        network.add_node(_x(cell))
        network.add_cpds(factors.TabularCPD(_x(cell), 2, [[1.0 - prior], [prior]]))
    for index, count in enumerate(counts):
        parents = [_x(cell) for cell in sorted(count.cells)]
        network.add_edges_from([(parent, _y(index)) for parent in parents])
        table = count_table(len(parents))
        network.add_cpds(factors.TabularCPD(_y(index), len(table), table, parents, [2] * len(parents)))
    return network


@cache
def count_table(parents: int) -> NDArray[np.float64]:
    """Returns the (parents + 1, 2**parents) table of a count: 1 where the row is the number of mined parents."""
    mined = np.array([combination.bit_count() for combination in range(1 << parents)])
    return (np.arange(parents + 1)[:, None] == mined).astype(np.float64)


def _query(engine: Any, counts: Sequence[Count], cell: int) -> float:
    evidence = {_y(index): count.mines for index, count in enumerate(counts)}
    answer = engine.query([_x(cell)], evidence, elimination_order="greedy", show_progress=False)
    return float(answer.values[1])


def load_pgmpy() -> None:
    """Loads what this module uses of pgmpy, which takes seconds.

    Raises:
        MissingExtraError: pgmpy is not installed.
    """
    for module in ("pgmpy.factors.discrete", "pgmpy.models", "pgmpy.inference"):
        _pgmpy(module)


def _pgmpy(module: str) -> ModuleType:
    with warnings.catch_warnings():
        # pgmpy's own modules import each other by names that it has deprecated.
        warnings.simplefilter("ignore", FutureWarning)
        return import_extra(module)


def _x(cell: int) -> str:
    return f"X{cell}"


def _y(index: int) -> str:
    return f"Y{index}"
