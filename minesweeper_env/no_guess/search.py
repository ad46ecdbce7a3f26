"""Search for layouts that logic solves: rejection sampling, repair and mixing, and the proofs of the layouts found.

Rejection draws layouts until the solver wins one. The repair is a local search: it moves mines at the place where logic
is stuck, the idea of Simon Tatham's Mines (`mineperturb`). Then a Metropolis chain mixes the layout; see `_mix_layout`.
"""

from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.config import NO_GUESS_LEVELS, BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.rules import add_mine, place_mines, random_below, remove_mine, set_mines
from minesweeper_env.engine.state import FIRST_ANY, FIRST_SAFE, MINE_BIT, RULE_FIELDS, Boards, Int, RewardWeights, Rules
from minesweeper_env.inference import Step
from minesweeper_env.inference.counting.workspace import make_workspace
from minesweeper_env.inference.deduction.constraints import make_memory
from minesweeper_env.inference.deduction.steps import RULES
from minesweeper_env.inference.reading import OPEN, UNKNOWN, make_clues
from minesweeper_env.no_guess.arrays import Arena, Log, Player, Repair, arena_of
from minesweeper_env.no_guess.solver import solve
from minesweeper_env.splitmix import mix
from minesweeper_env.threads import ObjectPool

PATIENCE = 300
"""Layouts in a row without more opened cells, after which a repair starts over."""

FAR = 8
"""The partner of a frontier cell is any cell with probability 1 / FAR, and otherwise an unknown one."""

WORSE = 32
"""A layout is kept with probability 1 / WORSE although logic opens fewer cells."""

TRIES = 64
"""Draws of a partner before a repair gives up on a cell."""

_GAME = np.int64(0)


@subroutine
def _draw_layout(arena: Arena, first: Int) -> None:
    """Draws a layout by the first-click rule, and marks the cells that the rule keeps free."""
    zone = arena.repair.zone
    # The array holds the last layout, to whose counts `place_mines` would add.
    arena.boards.truth[0, :] = 0
    place_mines(arena.rules, arena.boards, _GAME, np.int64(first))
    zone[:] = 0
    zone[first] = 1
    if arena.rules.first_click != FIRST_SAFE:
        for k in range(arena.rules.neighbours.shape[1]):
            cell = arena.rules.neighbours[first, k]
            if cell < len(zone):
                zone[cell] = 1


@subroutine
def _repair(arena: Arena, first: Int, level: Int, limit: int) -> tuple[bool, int]:
    """Draws a layout, and changes it until logic solves it; returns (solved, number of layouts played)."""
    _draw_layout(arena, first)
    solved, played = solve(arena, first, level), 1
    score = best = _count_opened(arena)
    num_frontier, num_unknown = _list_unknown(arena)
    rounds_without_gain = 0
    while not solved and played < limit and rounds_without_gain < PATIENCE:
        cell, partner = _choose_swap(arena, num_frontier, num_unknown)
        if cell < 0:
            break
        _swap(arena, cell, partner)
        solved = solve(arena, first, level)
        played += 1
        # The score is the number of cells that logic opens. A worse layout stays now and then, to leave a dead end.
        opened = _count_opened(arena)
        if solved or opened >= score or random_below(arena.boards.rng, _GAME, np.int64(WORSE)) == 0:
            score = opened
            num_frontier, num_unknown = _list_unknown(arena)
        else:
            # The same swap takes itself back; the lists of cells still belong to the layout before.
            _swap(arena, cell, partner)
        rounds_without_gain = 0 if score > best else rounds_without_gain + 1
        best = max(best, score)
    return solved, played


@inlined
def _count_opened(arena: Arena) -> int:
    # `covered_left` lacks the known mines, which are covered too.
    known_mines = arena.rules.mines - arena.player.mines_left[0]
    return len(arena.repair.zone) - arena.player.covered_left[0] - known_mines


@inlined
def _list_unknown(arena: Arena) -> tuple[int, int]:
    """Lists the unknown cells, first the frontier, next to clues; returns the number of frontier cells, and of all."""
    clues, listed = arena.clues, arena.repair.cells
    cells, degree = clues.neighbours.shape
    num_frontier, num_unknown = 0, 0
    for cell in range(cells):
        if clues.known[cell] != UNKNOWN:
            continue
        is_frontier = False
        for k in range(degree):
            neighbour = clues.neighbours[cell, k]
            is_frontier |= neighbour < cells and clues.known[neighbour] == OPEN  # off the board is OPEN, too
        listed[num_unknown] = cell
        if is_frontier:
            # The first listed cell that is not next to a clue makes room, and goes to the end.
            listed[num_unknown], listed[num_frontier] = listed[num_frontier], cell
            num_frontier += 1
        num_unknown += 1
    return num_frontier, num_unknown


@inlined
def _choose_swap(arena: Arena, num_frontier: Int, num_unknown: Int) -> tuple[int, int]:
    """Returns a frontier cell and its partner, exactly one of them a mine; (-1, -1) if no draw gives such a pair."""
    rng, listed = arena.boards.rng, arena.repair.cells
    if num_frontier > 0:
        for _ in range(TRIES):
            cell = listed[random_below(rng, _GAME, np.int64(num_frontier))]
            if random_below(rng, _GAME, np.int64(FAR)) > 0:
                partner = listed[random_below(rng, _GAME, np.int64(num_unknown))]
            else:
                partner = random_below(rng, _GAME, np.int64(len(listed)))
            if _can_swap(arena, cell, partner):
                return cell, partner
    return -1, -1


@inlined
def _can_swap(arena: Arena, cell: Int, partner: Int) -> bool:
    """Returns whether exactly one of two cells is a mine, and the first-click rule protects neither."""
    # Two mines, or two free cells, would swap without effect.
    differ = (arena.boards.truth[0, cell] ^ arena.boards.truth[0, partner]) & MINE_BIT != 0
    return differ and arena.repair.zone[cell] == 0 and arena.repair.zone[partner] == 0


@inlined
def _swap(arena: Arena, target: Int, source: Int) -> None:
    """Moves the mine of one of two cells, exactly one of them a mine, to the other."""
    if arena.boards.truth[0, target] & MINE_BIT:
        target, source = source, target  # now the mine is in `source`
    remove_mine(arena.rules, arena.boards, _GAME, np.int64(source))
    add_mine(arena.rules, arena.boards, _GAME, np.int64(target))


@subroutine
def _mix_layout(arena: Arena, first: Int, level: Int, num_moves: int) -> None:
    """Moves mines at random, one at a time, and takes back each move after which logic no longer solves the layout.

    The present layout is solved. In the long run all solved layouts that such moves connect are equally likely
    (Metropolis et al. 1953).
    """
    # All moves are as likely as the moves back, so a chain that rejects unsolved layouts has the uniform distribution.
    cells = np.int64(len(arena.repair.zone))
    for _ in range(num_moves):
        cell = random_below(arena.boards.rng, _GAME, cells)
        partner = random_below(arena.boards.rng, _GAME, cells)
        if _can_swap(arena, cell, partner):
            _swap(arena, cell, partner)
            if not solve(arena, first, level):
                _swap(arena, cell, partner)


REJECTION, REPAIR, GIVEN = range(3)
"""Tasks of a call: draw layouts until logic solves one, repair one, or play the given layouts."""


@kernel
def search_layouts(
    task: int, level: int, limit: int, max_attempts: int, moves: int, firsts: NDArray[np.int64],
    states: NDArray[np.uint64], layouts: NDArray[np.bool_], attempts: NDArray[np.int64], solved: NDArray[np.bool_],
    *arrays: Any,
) -> None:  # fmt: skip
    """Searches a layout for each of M jobs that is not solved yet.

    Args:
        task: REJECTION, REPAIR or GIVEN.
        level: SUBSET or EXACT.
        limit: the number of layouts to play for each job in this call; the mixing comes on top.
        max_attempts: the number of layouts to play for each job in all calls.
        moves: the number of moves that mix a repaired layout.
        firsts: (M,) int64, the first cells.
        states: (M,) uint64, the states of the games' generators; from the second call on, what the call before left.
        layouts: (M, n) bool, filled with the layout of a job that is solved; read if the task is GIVEN.
        attempts: (M,) int64, grows by the number of layouts played.
        solved: (M,) bool, set for each job that is solved.
        *arrays: the arrays of an `Arena`.
    """
    arena = arena_of(arrays)
    for job in range(len(firsts)):
        if solved[job]:
            continue
        first = firsts[job]
        # `mix` makes the streams of two first cells of one game independent.
        arena.boards.rng[0] = states[job] if attempts[job] > 0 else mix(mix(states[job]) + np.uint64(first))
        # A given layout belongs to no game, and its generator draws nothing.
        if task == GIVEN:
            set_mines(arena.rules, arena.boards, _GAME, layouts[job])
            solved[job] = solve(arena, first, level)
            attempts[job] += 1
            continue
        budget, played = min(limit, max_attempts - attempts[job]), 0
        if budget <= 0:
            continue
        if task == REJECTION:
            while not solved[job] and played < budget:
                _draw_layout(arena, first)
                solved[job] = solve(arena, first, level)
                played += 1
        else:
            solved[job], played = _repair(arena, first, level, budget)
            if solved[job]:
                _mix_layout(arena, first, level, moves)
        attempts[job] += played
        # The generator goes on where this call ends.
        states[job] = arena.boards.rng[0]
        if solved[job]:
            for cell in range(layouts.shape[1]):
                layouts[job, cell] = arena.boards.truth[0, cell] & MINE_BIT != 0


def make_arena(config: BoardConfig) -> Arena:
    """Returns the arrays for boards of a configuration; the log does not record."""
    fields: tuple[Any, ...] = Games(config, 1, RewardWeights()).arrays
    rules = Rules(*fields[:RULE_FIELDS])
    # No logic wins a game whose first cell is a mine.
    if rules.first_click == FIRST_ANY:
        rules = rules._replace(first_click=FIRST_SAFE)
    n = config.cells
    covered_left, mines_left = np.zeros((2, 1), np.int64)
    safe_cells, flood = np.empty((2, n), np.int32)
    return Arena(
        rules,
        Boards(*fields[RULE_FIELDS:]),
        Repair(np.zeros(n, np.int8), np.zeros(n, np.int64)),
        make_clues(rules.neighbours),
        Player(np.zeros(n + 1, np.int8), covered_left, mines_left, safe_cells, flood, *np.empty((2, n))),
        make_memory(*rules.neighbours.shape),
        _make_log(n, 0),
        # Nothing makes it grow, so its size decides which positions are too hard for the oracle.
        make_workspace(config.rows, config.cols, config.radius, states=1 << 16, keys=1 << 14, values=1 << 21),
    )


def _make_log(n: int, max_clues: int) -> Log:
    """Returns an empty log for n cells, with room for `max_clues` clues in all; without room it does not record."""
    is_recording, steps, cells_found, clues_named = np.array([[max_clues > 0], [0], [0], [0]], np.int64)
    rule, uses_total, cell_end, clue_end = np.empty((4, n + 1), np.int32)
    cells, is_mine, visited = np.empty(n, np.int32), np.zeros(n, np.int8), np.zeros(n + 1, np.int8)
    return Log(
        is_recording, steps, rule, uses_total, cell_end, clue_end, cells_found, cells, is_mine, clues_named,
        np.empty(max_clues, np.int32), visited,
    )  # fmt: skip


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


class SearchResults(NamedTuple):
    """Results of M searches."""

    layouts: NDArray[np.bool_]  # (M, rows, cols) bool, the mines
    attempts: NDArray[np.int64]  # (M,) int64, the number of layouts played
    solved: NDArray[np.bool_]  # (M,) bool, False where the attempts did not suffice


class Searcher:
    """A searcher for the boards of one configuration; one thread at a time may use it."""

    def __init__(self, config: BoardConfig) -> None:
        self.config = config
        self._arena = make_arena(config)
        self._arrays = self._arena.arrays()

    def search(
        self, firsts: NDArray[np.int64], states: NDArray[np.uint64], level: str, max_attempts: int = MAX_ATTEMPTS,
        method: str = "auto", on_attempts: Callable[[int], object] | None = None,
    ) -> SearchResults:  # fmt: skip
        """Searches a layout for each of M first cells, (M,) int64, in games whose generators have (M,) uint64 states.

        Each job plays at most `max_attempts` layouts, by a level of `NO_GUESS_LEVELS` and one of `METHODS`. Each round
        calls `on_attempts` with the number of layouts played for all M.
        """
        num_jobs, streams = len(firsts), states.copy()  # the kernel advances the states
        layouts = np.zeros((num_jobs, self.config.cells), np.bool_)
        attempts, solved = np.zeros(num_jobs, np.int64), np.zeros(num_jobs, np.bool_)
        task, limit = (REPAIR, ROUND) if method == "repair" else (REJECTION, REJECTIONS)
        level_index, moves = NO_GUESS_LEVELS.index(level), MOVES_PER_MINE * self.config.mines
        while not (solved | (attempts >= max_attempts)).all():
            search_layouts(
                task, level_index, limit, max_attempts, moves, firsts, streams, layouts, attempts, solved, *self._arrays
            )
            if on_attempts is not None:
                on_attempts(int(attempts.sum()))
            # "auto" draws few layouts, and then repairs one: on dense boards almost no drawn layout is solved.
            task, limit = (REJECTION if method == "rejection" else REPAIR), ROUND
        return SearchResults(layouts.reshape(num_jobs, self.config.rows, self.config.cols), attempts, solved)

    def solves(self, layouts: NDArray[np.bool_], first: int, level: str) -> NDArray[np.bool_]:
        """Returns (M,) bool: whether logic wins each of (M, rows, cols) layouts from a first cell without a mine."""
        return self._play(self._arena, layouts, first, level)

    def prove(self, layout: NDArray[np.bool_], first: int, level: str) -> list[Step]:
        """Returns the steps by which logic plays a (rows, cols) layout, up to the win or to where it is stuck."""
        # A first guess: a proof that names more clues is made again, with room for them.
        max_clues = 4 * self.config.cells
        while True:
            log = _make_log(self.config.cells, max_clues)
            self._play(self._arena._replace(log=log), layout[None], first, level)
            if log.clues_named[0] <= max_clues:
                return _read_steps(log, self.config.cols)
            max_clues = int(log.clues_named[0])

    def _play(self, arena: Arena, layouts: NDArray[np.bool_], first: int, level: str) -> NDArray[np.bool_]:
        """Plays each of (M, rows, cols) layouts once, without mixing; returns (M,) bool, whether logic wins."""
        num_layouts, level_index = len(layouts), NO_GUESS_LEVELS.index(level)
        flat = np.array(layouts, np.bool_, order="C").reshape(num_layouts, self.config.cells)
        firsts, states = np.full(num_layouts, first), np.zeros(num_layouts, np.uint64)
        attempts, solved = np.zeros(num_layouts, np.int64), np.zeros(num_layouts, np.bool_)
        search_layouts(GIVEN, level_index, 1, 1, 0, firsts, states, flat, attempts, solved, *arena.arrays())
        return solved


def _read_steps(log: Log, cols: int) -> list[Step]:
    """Returns the steps of a log, in which a cell is row * cols + col, with cells as (row, col)."""
    columns = (field[: log.steps[0]].tolist() for field in (log.rule, log.uses_total, log.cell_end, log.clue_end))
    steps, cell_begin, clue_begin = [], 0, 0
    for rule, uses_total, cell_end, clue_end in zip(*columns, strict=True):
        cells, is_mine = log.cells[cell_begin:cell_end], log.is_mine[cell_begin:cell_end] == 1
        parts = (np.sort(part) for part in (cells[~is_mine], cells[is_mine], log.clues[clue_begin:clue_end]))
        safe, mines, because = (tuple(divmod(cell, cols) for cell in part.tolist()) for part in parts)
        steps.append(Step(RULES[rule], safe, mines, because, bool(uses_total)))
        cell_begin, clue_begin = cell_end, clue_end
    return steps


def search_config(config: BoardConfig) -> BoardConfig:
    """Returns the configuration with defaults in all fields that no search depends on."""
    return BoardConfig(config.rows, config.cols, config.mines, config.first_click, ("click",), config.radius)


@cache
def compile_search() -> None:
    """Compiles the search, or loads it from the disk, once a process."""
    searcher = Searcher(BoardConfig(1, 2, 1, "safe", ("click",)))
    searcher.search(np.zeros(1, np.int64), np.zeros(1, np.uint64), "subset", 1)


@lru_cache(maxsize=8)
def searchers(config: BoardConfig) -> ObjectPool[Searcher]:
    """Returns searchers for the boards of a configuration, which threads borrow."""
    return ObjectPool(partial(Searcher, config))
