"""Searches for layouts that logic solves, round by round, and their proofs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import NO_GUESS_LEVELS, BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import FIRST_ANY, FIRST_SAFE, RULE_FIELDS, Boards, RewardWeights, Rules
from minesweeper_env.inference import Step
from minesweeper_env.inference.deduction.sentences import make_closure
from minesweeper_env.inference.deduction.steps import RULES
from minesweeper_env.inference.kernels import make_fixed_workspace
from minesweeper_env.inference.reading import make_clues
from minesweeper_env.no_guess.arrays import (
    LOG_CLUES,
    RECORDING,
    STEPS,
    Arena,
    Bytes,
    Ints,
    Log,
    Logic,
)
from minesweeper_env.no_guess.kernels import GIVEN, REJECTION, REPAIR, search_layouts
from minesweeper_env.threads import Lender


def make_arena(config: BoardConfig) -> Arena:
    """Returns the arrays for boards of a configuration; the log does not record."""
    fields: tuple[Any, ...] = Games(config, 1, RewardWeights()).arrays
    rules = Rules(*fields[:RULE_FIELDS])
    if rules.first_click == FIRST_ANY:
        rules = rules._replace(first_click=FIRST_SAFE)
    n = config.cells
    return Arena(
        rules,
        Boards(*fields[RULE_FIELDS:]),
        _bytes(n),
        np.zeros(n, np.int64),
        make_clues(rules.neighbours),
        Logic(_bytes(n + 1), _ints(n), _ints(n), np.zeros(2, np.int64), np.empty(n)),
        make_closure(*rules.neighbours.shape),
        _make_log(n, 0),
        make_fixed_workspace(config.rows, config.cols, config.radius),
    )


def _ints(*shape: int) -> Ints:
    return np.empty(shape, np.int32)


def _bytes(size: int) -> Bytes:
    return np.zeros(size, np.int8)


def _make_log(n: int, clues: int) -> Log:
    return Log(_ints(n + 1, 4), _ints(n), _bytes(n), _ints(clues), _bytes(n + 1), _bytes(n + 1), np.zeros(4, np.int64))


METHODS = ("auto", "rejection", "repair")
"""The ways to search: rejection first and then repair, or one of them alone."""

MAX_ATTEMPTS = 100_000
"""Layouts that a search plays, at most, if no other number is given."""

REJECTIONS = 64
"""Layouts that "auto" draws before it repairs one."""

ROUND = 1000
"""Layouts that one call of a kernel plays, at most; an interrupt waits for the end of the call."""

MOVES_PER_MINE = 5
"""Moves that mix a repaired layout, for each mine of the board."""


class Found(NamedTuple):
    """Results of M searches.

    Attributes:
        layouts: (M, rows, cols) bool, the mines.
        attempts: (M,) int64, the number of layouts played.
        solved: (M,) bool, False where the attempts did not suffice.
    """

    layouts: NDArray[np.bool_]
    attempts: NDArray[np.int64]
    solved: NDArray[np.bool_]


class Searcher:
    """A searcher for the boards of one configuration; one thread at a time may use it."""

    def __init__(self, config: BoardConfig) -> None:
        """Allocates its memory, a few megabytes."""
        self.config = config
        self._arena = make_arena(config)
        self._arrays = self._arena.flat()

    def search(
        self,
        firsts: NDArray[np.int64],
        states: NDArray[np.uint64],
        level: str,
        max_attempts: int,
        method: str = "auto",
        on_attempts: Callable[[int], object] | None = None,
    ) -> Found:
        """Searches a layout for each of M first cells.

        Args:
            firsts: (M,) int64, the first cells.
            states: (M,) uint64, the states of the generators of the games; left as they are.
            level: one of `NO_GUESS_LEVELS`.
            max_attempts: the number of layouts to play for each, at most.
            method: one of `METHODS`.
            on_attempts: called after each round with the number of layouts played for all M.
        """
        many, streams = len(firsts), states.copy()
        layouts = np.zeros((many, self.config.cells), np.bool_)
        attempts, solved = np.zeros(many, np.int64), np.zeros(many, np.bool_)
        task, limit = (REPAIR, ROUND) if method == "repair" else (REJECTION, REJECTIONS)
        strength, moves = NO_GUESS_LEVELS.index(level), MOVES_PER_MINE * self.config.mines
        while not (solved | (attempts >= max_attempts)).all():
            search_layouts(
                task, strength, limit, max_attempts, moves, firsts, streams, layouts, attempts, solved, *self._arrays
            )
            if on_attempts is not None:
                on_attempts(int(attempts.sum()))
            task, limit = (REJECTION if method == "rejection" else REPAIR), ROUND
        return Found(layouts.reshape(many, self.config.rows, self.config.cols), attempts, solved)

    def solves(self, layouts: NDArray[np.bool_], first: int, level: str) -> NDArray[np.bool_]:
        """Returns (M,) bool: whether logic wins each of (M, rows, cols) layouts from a first cell without a mine."""
        return self._play(self._arena, layouts, first, level)

    def prove(self, layout: NDArray[np.bool_], first: int, level: str) -> list[Step]:
        """Returns the steps by which logic plays a (rows, cols) layout, up to the win or to where it is stuck."""
        clues = 4 * self.config.cells
        while True:
            log = _make_log(self.config.cells, clues)
            log.counts[RECORDING] = 1
            self._play(self._arena._replace(log=log), layout[None], first, level)
            if log.counts[LOG_CLUES] <= clues:
                return _read_steps(log, self.config.cols)
            clues = int(log.counts[LOG_CLUES])

    def _play(self, arena: Arena, layouts: NDArray[np.bool_], first: int, level: str) -> NDArray[np.bool_]:
        many, strength = len(layouts), NO_GUESS_LEVELS.index(level)
        flat = np.array(layouts, np.bool_, order="C").reshape(many, self.config.cells)
        firsts, states = np.full(many, first), np.zeros(many, np.uint64)
        attempts, solved = np.zeros(many, np.int64), np.zeros(many, np.bool_)
        search_layouts(GIVEN, strength, 1, 1, 0, firsts, states, flat, attempts, solved, *arena.flat())
        return solved


def _read_steps(log: Log, cols: int) -> list[Step]:
    """Returns the steps of a log."""
    rows = log.steps[: log.counts[STEPS]].tolist()
    ends = [(0, 0, 0, 0), *rows]
    steps = []
    for (*_, cell, clue), (rule, uses_total, cell_end, clue_end) in pairwise(ends):
        cells, is_mine = log.cells[cell:cell_end], log.is_mine[cell:cell_end] == 1
        named = (np.sort(each) for each in (cells[~is_mine], cells[is_mine], log.clues[clue:clue_end]))
        safe, mine, because = (tuple(divmod(each, cols) for each in one.tolist()) for one in named)
        steps.append(Step(RULES[rule], safe, mine, because, bool(uses_total)))
    return steps


def search_config(config: BoardConfig) -> BoardConfig:
    """Returns a configuration with no more than a search depends on."""
    return BoardConfig(config.rows, config.cols, config.mines, config.first_click, ("click",), config.radius)


@cache
def compile_search() -> None:
    """Compiles the search, or loads it from the disk, once a process."""
    searcher = Searcher(BoardConfig(1, 2, 1, "safe", ("click",)))
    searcher.search(np.zeros(1, np.int64), np.zeros(1, np.uint64), "subset", 1)


@lru_cache(maxsize=8)
def searchers(config: BoardConfig) -> Lender[Searcher]:
    """Returns searchers for the boards of a configuration, which threads borrow."""
    return Lender(partial(Searcher, config))
