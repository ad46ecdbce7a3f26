"""Allocation of the arrays of the search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import FIRST_ANY, FIRST_SAFE, RULE_FIELDS, Boards, RewardWeights, Rules
from minesweeper_env.inference.kernels import make_fixed_workspace
from minesweeper_env.no_guess.arrays import RECORDING, Arena, Closure, Ints, Log, Logic, Packing

MAX_SENTENCES = 20_000
"""The largest closure; `inference.deduce` has the same limit."""

CELLS_PER_SENTENCE = 8
"""Cells of sentences that memory is reserved for, on average."""


def make_arena(config: BoardConfig) -> Arena:
    """Returns the arrays for boards of a configuration."""
    fields: tuple[Any, ...] = Games(config, 1, RewardWeights()).arrays
    rules = Rules(*fields[:RULE_FIELDS])
    if rules.first_click == FIRST_ANY:
        rules = rules._replace(first_click=FIRST_SAFE)
    cells = config.cells
    return Arena(
        rules,
        Boards(*fields[RULE_FIELDS:]),
        np.zeros(cells, np.int8),
        np.zeros(cells, np.int64),
        _make_logic(rules.neighbours),
        _make_closure(cells),
        _make_packing(cells),
        _make_log(cells, 0),
        make_fixed_workspace(config.rows, config.cols, config.radius),
    )


def _ints(*shape: int) -> Ints:
    return np.empty(shape, np.int32)


def _make_logic(neighbours: NDArray[np.uint32]) -> Logic:
    n = len(neighbours)
    return Logic(
        neighbours,
        np.zeros(n + 1, np.int8),
        np.zeros(n + 1, np.int8),
        _ints(n + 1),
        _ints(n + 1),
        _ints(n),
        np.zeros(n + 1, np.int8),
        _ints(n),
        _ints(n),
        np.zeros(3, np.int64),
        np.empty(n),
    )


def _make_closure(cells: int) -> Closure:
    most = MAX_SENTENCES
    pool = CELLS_PER_SENTENCE * most
    return Closure(
        _ints(most + 1),
        _ints(most),
        np.empty(most, np.uint64),
        _ints(2, most),
        _ints(pool),
        _ints(cells),
        _ints(most),
        _ints(cells),
        _ints(pool),
        _ints(pool),
        _ints(most),
        np.zeros(most, np.int8),
        _ints(most),
        np.zeros(2, np.int64),
    )


def _make_packing(cells: int) -> Packing:
    return Packing(
        _ints(cells),
        _ints(cells),
        np.zeros(cells, np.int8),
        _ints(cells + 1),
        _ints(cells + 1),
        _ints(cells),
        _ints(MAX_SENTENCES),
    )


def _make_log(cells: int, clues: int) -> Log:
    return Log(
        _ints(cells + 1, 4),
        _ints(cells),
        np.zeros(cells, np.int8),
        _ints(clues),
        np.zeros(cells + 1, np.int8),
        np.zeros(cells + 1, np.int8),
        np.zeros(4, np.int64),
    )


def with_log(arena: Arena, clues: int) -> Arena:
    """Returns an arena with an empty log that has room for this many clues, and that records."""
    log = _make_log(len(arena.zone), clues)
    log.counts[RECORDING] = 1
    return arena._replace(log=log)
