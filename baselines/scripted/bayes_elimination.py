"""Posteriors by pgmpy's variable elimination, with a bound on its tables that is known beforehand.

The evidence is that of a visible board: open cells are observed free, and their counts observed as they are. Of the
network of the whole board a query meets the relevant part: the counts of covered cells are barren and left out, and
so is what the evidence separates from the cell in question. Nothing else is, so the posterior is exact.

There are two orders of elimination, and of these the one with the smaller largest table is taken: pgmpy's "greedy",
and the sweep, line by line along the shorter side. In the sweep an unknown cell is in a table only if it shares a
count with a cell that is eliminated already, so that it lies in three lines, and counts are not unknown:
`sweep_width` says how many cells that can be on any board of that width. That is the bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.extras import import_extra
from baselines.scripted.bayes_network import (
    Names,
    check_prior,
    check_radius,
    load_pgmpy,
    neighbours,
    part_network,
    sweep_order,
    variable_elimination,
)
from minesweeper_env.config import BoardConfig

MAX_ENTRIES = 1 << 26
"""The entries of the largest table that is allowed, which is 512 MB."""

_KEPT_PARTS = 4096


class Part(NamedTuple):
    """A part of a board that the evidence separates from the others.

    Attributes:
        counts: the cells that show a count, each with its count.
        mined: the cells beside them that are known to be mines.
        unknown: the cells whose nodes are not observed.
    """

    counts: tuple[tuple[int, int], ...]
    mined: tuple[int, ...]
    unknown: tuple[int, ...]


class NetworkPosteriors:
    """Asks the network of a board.

    Attributes:
        queries: how often variable elimination has been run.
    """

    def __init__(self, config: BoardConfig, prior: str = "binomial") -> None:
        """Prepares to ask about boards of this configuration.

        Args:
            config: the boards.
            prior: "binomial" or "count"; see `bayes_network`.

        Raises:
            ValueError: there is no such prior, or the board is too large for tables of `MAX_ENTRIES`.
            MissingExtraError: pgmpy is not installed.
        """
        check_prior(prior)
        check_radius(config)
        check_tables(config, prior)
        load_pgmpy()
        self.queries = 0
        self._config = config
        self._prior = prior
        self._names = Names(config)
        self._solve = lru_cache(_KEPT_PARTS)(self._solve_part)

    def chances(self, board: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns (rows, cols) float64: the posterior probability of a mine in each cell of a (rows, cols) board.

        A part of the board that was met before is not asked about again. Where the counts contradict each other,
        the chances of the cells beside them are NaN.
        """
        codes = self._config.codes
        flat = board.ravel()
        # Cells beside no count keep the prior, unless the number of mines is known.
        chances = np.where(flat <= codes.max_count, 0.0, self._config.mines / self._config.cells)
        chances[flat == codes.mine] = 1.0
        for part in self._parts(flat):
            for cell, chance in self._solve(part).items():
                chances[cell] = chance
        return chances.reshape(board.shape)

    def _parts(self, board: NDArray[np.int8]) -> Iterator[Part]:
        """Yields the parts of a board; if the number of mines is known, that is all of it."""
        codes, around = self._config.codes, neighbours(self._config)
        covered = {int(cell) for cell in np.flatnonzero((board > codes.max_count) & (board != codes.mine))}
        mined = {int(cell) for cell in np.flatnonzero(board == codes.mine)}
        beside = {int(cell): covered.intersection(around[cell]) for cell in np.flatnonzero(board <= codes.max_count)}
        useful = {cell: unknown for cell, unknown in beside.items() if unknown}
        for counts in [list(useful)] if self._prior == "count" else linked(useful):
            shown = tuple((cell, int(board[cell])) for cell in sorted(counts))
            if self._prior == "count":
                yield Part(shown, tuple(sorted(mined)), tuple(sorted(covered)))
                continue
            near = mined.intersection(chain.from_iterable(around[cell] for cell in counts))
            unknown = set(chain.from_iterable(useful[cell] for cell in counts))
            yield Part(shown, tuple(sorted(near)), tuple(sorted(unknown)))

    def _solve_part(self, part: Part) -> dict[int, float]:
        """Returns the posterior of each unknown cell of a part; one query serves all cells beside the same counts."""
        config, names = self._config, self._names
        network = part_network(config, self._prior, self._cells(part), [cell for cell, _ in part.counts])
        hidden = {names.x(cell) for cell in part.unknown}
        evidence = {names.y(cell): count for cell, count in part.counts}
        evidence.update((node, 0) for node in network.nodes() if node[0] == "X" and node not in hidden)
        evidence.update((names.x(cell), 1) for cell in part.mined)
        if self._prior == "count":
            evidence[names.t(sweep_order(config)[-1])] = config.mines
        engine = variable_elimination(network)
        chances: dict[int, float] = {}
        for cells in exchangeable(part, neighbours(config)):
            self.queries += 1
            chances.update(dict.fromkeys(cells, self._ask(engine, network, names.x(cells[0]), evidence)))
        return chances

    def _cells(self, part: Part) -> Sequence[int]:
        return range(self._config.cells) if self._prior == "count" else part.unknown

    def _ask(self, engine: Any, network: Any, node: str, evidence: dict[str, int]) -> float:
        order, _ = choose_order(self._config, network, node, evidence)
        # pgmpy divides 0 by 0 where the evidence contradicts itself.
        with np.errstate(invalid="ignore"):
            answer = engine.query([node], evidence, elimination_order=order, show_progress=False)
        return float(answer.values[1])


def linked(beside: dict[int, set[int]]) -> list[list[int]]:
    """Returns the counts, in lists of those that are linked by unknown cells, by way of any others.

    Args:
        beside: the unknown cells beside each count; at least one.
    """
    groups: list[tuple[list[int], set[int]]] = []
    for count, cells in beside.items():
        apart, counts, reached = [], [count], set(cells)
        for group in groups:
            if group[1] & cells:
                counts, reached = group[0] + counts, group[1] | reached
            else:
                apart.append(group)
        groups = [*apart, (counts, reached)]
    return [counts for counts, _ in groups]


def exchangeable(part: Part, around: Sequence[Sequence[int]]) -> list[list[int]]:
    """Returns the unknown cells of a part, in groups that lie beside exactly the same counts."""
    shown = frozenset(cell for cell, _ in part.counts)
    groups: dict[frozenset[int], list[int]] = {}
    for cell in part.unknown:
        groups.setdefault(shown.intersection(around[cell]), []).append(cell)
    return list(groups.values())


def choose_order(config: BoardConfig, network: Any, node: str, evidence: dict[str, int]) -> tuple[Any, int]:
    """Returns the order of elimination for a query, and the entries of the largest table that it makes.

    Args:
        config: the board.
        network: the network, or a relevant part of it.
        node: the node in question.
        evidence: what is observed.
    """
    cards = {name: int(network.get_cardinality(name)) for name in network.nodes() if name not in evidence}
    # pgmpy takes the tables in the order of the nodes, and numbers these; ties between steps depend on it.
    scopes = [[name for name in network.get_cpds(owner).variables if name in cards] for owner in network.nodes()]
    scopes = [scope for scope in scopes if scope]
    sweep = [name for name in _sweep(config) if name in cards and name != node]
    greedy, swept = greedy_size(scopes, cards, node), elimination_size(scopes, cards, sweep)
    return ("greedy", greedy) if greedy <= swept else (sweep, swept)


def _sweep(config: BoardConfig) -> Iterator[str]:
    """Yields the nodes in the order of the sweep; a total goes as soon as the next one has taken it up."""
    names, before = Names(config), None
    for cell in sweep_order(config):
        if before is not None:
            yield names.t(before)
        yield names.x(cell)
        before = cell


def elimination_size(scopes: Sequence[Sequence[str]], cards: dict[str, int], order: Sequence[str]) -> int:
    """Returns the entries of the largest table that elimination in this order makes.

    Args:
        scopes: the nodes of each table, without the observed ones.
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
    """Returns the entries of the largest table that pgmpy's order "greedy" makes; see `elimination_size`."""
    numbers = {name: number for number, name in enumerate(cards)}
    operands: list[Any] = []
    for scope in scopes:
        # An array that has a shape and takes no room.
        operands += [np.broadcast_to(1.0, [cards[name] for name in scope]), [numbers[name] for name in scope]]
    _, plan = import_extra("opt_einsum").contract_path(*operands, [numbers[node]], optimize="greedy")
    return int(plan.largest_intermediate)


def sweep_width(side: int) -> int:
    """Returns the most unknown cells in one table of a sweep along lines of `side` cells.

    Let the cell of column j be eliminated. Of its own line the cells from there on can be in the table, of the
    next line all, and of the one after that those up to column j + 2. For the latter there must be counts on the
    next line, at least one to three cells; for cells of the next line beyond column j + 2, counts beyond column j
    on its own. The cell in question, which is never eliminated, may lie elsewhere.
    """
    most = 0
    for column in range(side):
        beyond, below = max(0, side - column - 3), min(side, column + 3)
        most = max(most, (side - column) - -(-beyond // 3) + side + below - -(-below // 3))
    return most + 1


def check_tables(config: BoardConfig, prior: str) -> None:
    """Raises a ValueError if some position of a board could need a larger table than allowed."""
    cells = min(sweep_width(min(config.rows, config.cols)), config.cells)
    entries = (1 << cells) * ((config.mines + 2) ** 2 if prior == "count" else 1)
    if entries > MAX_ENTRIES:
        raise ValueError(
            f"{config.rows}x{config.cols} with {config.mines} mines is too large for pgmpy under the prior {prior!r}: "
            f"a table could need 2^{math.log2(entries):.1f} entries, and 2^{math.log2(MAX_ENTRIES):.0f} are allowed; "
            "inference='native' has no such bound"
        )
