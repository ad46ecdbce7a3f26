"""The order of a variable elimination, and how large the tables are that it makes, before any is made.

There are two orders, and of these the one with the smaller largest table is taken: pgmpy's "greedy", and the sweep,
line by line along the shorter side. In the sweep an unknown cell is in a table only if it shares a count with a cell
that is eliminated already, so that it lies in three lines, and counts are not unknown: `sweep_width` says how many
cells that can be on any board of that width. That bounds the tables of independent cells beforehand. Where the number
of mines is known, a node of its running total, or two, can be in each table beside the cells, and such a bound would
be far above what positions need in play; so there each query is bounded by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from baselines.scripted.bayes.network import Names, sweep_order
from baselines.support.extras import import_extra
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError

MAX_ENTRIES = 1 << 26
"""The entries of the largest table that is allowed, which is 512 MB."""


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


def check_board(config: BoardConfig) -> None:
    """Raises a ValueError if independent cells could need a larger table than allowed in some position of a board."""
    entries = 1 << min(sweep_width(min(config.rows, config.cols)), config.cells)
    if entries > MAX_ENTRIES:
        board = f"{config.rows}x{config.cols} with {config.mines} mines"
        raise ValueError(f"{board} is too large for pgmpy: a table could need {_bound(entries)}")


def check_position(config: BoardConfig, entries: int) -> None:
    """Raises a PositionTooHardError if a query needs a larger table than allowed, its largest having `entries`."""
    if entries > MAX_ENTRIES:
        board = f"{config.rows}x{config.cols} with {config.mines} mines"
        raise PositionTooHardError(f"a position of {board} is too large for pgmpy: a table needs {_bound(entries)}")


def _bound(entries: int) -> str:
    allowed = f"2^{math.log2(MAX_ENTRIES):.0f} are allowed; inference='native' has no such bound"
    return f"2^{math.log2(entries):.1f} entries, and {allowed}"
