"""Order of a variable elimination, and the size of its largest table before any table exists.

There are two candidate orders: pgmpy's "greedy", and a sweep along the shorter side of the board. The one with the
smaller largest table wins. The sweep is bucket elimination (Dechter 1999) in a fixed order, so its tables are bounded
beforehand: `sweep_width` gives the bound for independent cells on any position.

A known number of mines adds one or two running totals to every table. A bound over all positions would then be far
above what play needs, so each query is checked by itself.
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
    _, plan = import_extra("opt_einsum").contract_path(*operands, [numbers[node]], optimize="greedy")
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
