"""Batches of games under one configuration, which both environments play; threads may divide a batch."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.config import FIRST_CLICKS, BoardConfig
from minesweeper_env.engine import kernels, state
from minesweeper_env.engine.saving import Arrays, SavedState, check_reachable, read_saved
from minesweeper_env.engine.state import FRESH, LOST, RESET, WAIT, WON, CodeArray, Flags, Integers
from minesweeper_env.threads import ThreadPool, split

Chosen = Flags | EllipsisType
"""Selects some of N games: a mask, (N,) bool, or `...` for all."""

LEAST_CELLS = 1 << 16
"""The least cells, over all its boards, of a part for one thread: a smaller part costs less than the hand-over."""


class Games:
    """N games of Minesweeper under one configuration, on boards of n cells with m moves.

    Attributes:
        config: the configuration.
        count: N.
        rewards: (N,) float64, the rewards of the last step by the weights.
        events: (5, N) bool, the events of the last step, in the rows that `state` lists.
        opened: (N,) int64, the number of cells that the last step opened.
        boards: the state of the games.
        arrays: the fields of `Rules`, then the fields of `Boards`, as kernels take them.
    """

    def __init__(
        self, config: BoardConfig, count: int, weights: state.RewardWeights, pool: ThreadPool | None = None
    ) -> None:
        """Allocates N = `count` games, which `seed` and `reset` begin; the threads of `pool` share them."""
        if count > 1:
            keep_freed_memory()
        self.config, self.count = config, count
        self._rules = state.Rules(
            neighbours=neighbour_table(config.rows, config.cols, config.radius),
            refuges=state.refuge_order(config.rows, config.cols),
            moves=np.array([MOVE_NAMES.index(name) for name in config.moves], dtype=np.int64),
            mines=config.mines,
            first_click=FIRST_CLICKS.index(config.first_click),
            max_steps=config.step_limit,
            weights=np.array(weights, dtype=np.float64),
        )
        self.boards = _empty(count, config.cells)
        self.arrays = (*self._rules, *self.boards)
        self.rewards = np.zeros(count)
        self.events = np.zeros((5, count), np.bool_)
        self.opened = np.zeros(count, np.int64)
        self._results_and_state = (self.rewards, self.events, self.opened, *self.arrays)
        self._no_resets = np.zeros(count, np.int64)
        self._pool = pool or ThreadPool()
        self._slices = split(count, min(self._pool.threads, count * config.cells // LEAST_CELLS))
        self._stacks = [np.empty_like(self.boards.stack) for _ in self._slices]

    @property
    def status(self) -> Integers:
        """The status of each game, (N,) int64, a view of `boards`."""
        return self.boards.progress[:, state.STATUS]

    def seed(self, states: NDArray[np.uint64] | np.uint64, games: list[int] | slice = slice(None)) -> None:
        """Sets the uint64 states of the generators of the next games, for all games or for those with these numbers."""
        self.boards.progress[games, state.NEXT] = states.view(np.int64)

    def show(self) -> tuple[CodeArray, CodeArray]:
        """Returns fresh codes (N, n) and masks (N, m, n), 1 for a legal action, of the current boards."""
        return self.play(self._no_resets, RESET)

    def reset(self, chosen: Flags, layouts: Flags | None = None) -> tuple[CodeArray, CodeArray]:
        """Starts the K games that `chosen`, (N,) bool, selects; returns codes and masks as `show` does.

        Their mines are `layouts`, (K, rows, cols) bool, or are placed at their first clicks.
        """
        codes_and_masks = self.play(chosen.astype(np.int64), RESET)
        if layouts is not None:
            self.set_mines(layouts, np.flatnonzero(chosen))
        return codes_and_masks

    def play(self, actions: Integers, mode: int) -> tuple[CodeArray, CodeArray]:
        """Takes one step in each game, with `actions` (N,) int64; returns codes and masks as `show` does.

        Where a game is already over, the step starts the next one if the mode is RESTART, and does nothing if it is
        WAIT. With RESET it takes no step, and starts the games whose action is 1.

        Raises:
            ValueError: an action is out of range; no step is taken.
        """
        codes = np.empty((self.count, self.config.cells), np.int8)
        masks = np.empty((self.count, len(self.config.moves), self.config.cells), np.int8)
        if len(self._slices) == 1:
            is_invalid = kernels.play_batch(actions, mode, codes, masks, *self._results_and_state) >= 0
        else:
            # Each call of the kernel checks its own part alone. Negative actions, viewed as unsigned, are large.
            is_invalid = actions.view(np.uint64).max() >= self.config.actions
            if not is_invalid:
                self._play_parts(actions, mode, codes, masks)
        if is_invalid:
            game = np.flatnonzero((actions < 0) | (actions >= self.config.actions))[0]
            allowed = f"a whole number in 0..{self.config.actions - 1}"
            raise ValueError(f"an action must be {allowed}, not {actions[game]} (game {game})")
        return codes, masks

    def _play_parts(self, actions: Integers, mode: int, codes: CodeArray, masks: CodeArray) -> None:
        def play_part(k: int) -> None:
            part = self._slices[k]
            # A slice of `self.events` is not contiguous, for which numba would compile the kernel again.
            events = self.events[:, part].copy()
            results: Any = (codes[part], masks[part], self.rewards[part], events, self.opened[part])
            boards = (field[part] for field in self.boards[:-1])
            kernels.play_batch(actions[part], mode, *results, *self._rules, *boards, self._stacks[k])
            self.events[:, part] = events

        self._pool.run(play_part, range(len(self._slices)))

    def first_clicks(self, actions: Integers) -> Integers:
        """Returns the numbers of the games whose action is a legal first click; none if any action is out of range."""
        fresh = np.flatnonzero(self.status == FRESH)
        if len(fresh) == 0 or ((actions < 0) | (actions >= self.config.actions)).any():
            return fresh[:0]
        # The clicks are the first block of the actions.
        chosen = fresh[actions[fresh] < self.config.cells]
        return chosen[self.boards.shown[chosen, actions[chosen]] >= self.config.codes.question]

    def sample_actions(self, generator: NDArray[np.uint64]) -> Integers:
        """Draws a uniformly random legal action for each game from the `generator` (1,) uint64."""
        actions = np.empty(self.count, np.int64)
        kernels.sample_batch(generator, actions, *self.arrays)
        return actions

    def set_mines(self, layouts: Flags, chosen: Integers | None = None) -> None:
        """Replaces the mines of the games `chosen`, (K,) numbers, by default all, and sets these games under way.

        The layouts are (K, rows, cols) bool.
        """
        games = np.arange(self.count) if chosen is None else np.array(chosen, np.int64)
        # A copy, because a read-only array has a numba type of its own and would compile the kernel again.
        flat = np.array(layouts, order="C").reshape(len(games), self.config.cells)
        kernels.lay_out_batch(games, flat, *self.arrays)

    def mines(self) -> Flags:
        """Returns the mines, (N, rows, cols) bool; all False before the first click places them."""
        mines: Flags = self.boards.truth[:, :-1] >= state.MINE_BIT
        return mines.reshape(self.count, self.config.rows, self.config.cols)

    def revealed_mines(self) -> Flags:
        """Returns the mines of won and lost games, (N, rows, cols) bool; all False for the other games."""
        decided = (self.status == WON) | (self.status == LOST)
        return self.mines() & decided[:, None, None]

    def save(self, *, alone: bool = False, **extra: NDArray[Any]) -> SavedState:
        """Returns copies of the arrays that define the games, and the `extra` arrays.

        The first axis has length N; with `alone`, the arrays are those of game 0, without this axis.
        """
        # Two copies, so that no user of the arrays reaches the memory of the boards.
        (shown, truth, progress, rng), boards = ([field.copy() for field in self.boards[:-1]] for _ in range(2))
        games = 0 if alone else slice(None)
        board = (self.config.rows, self.config.cols) if alone else (self.count, self.config.rows, self.config.cols)
        arrays = {
            "codes": shown[games, :-1].reshape(board),
            "mines": (truth[games, :-1] >= state.MINE_BIT).reshape(board),
            "status": progress[games, state.STATUS],
            "steps": progress[games, state.STEPS],
            "generator": rng[games],
            "next_generator": progress.view(np.uint64)[games, state.NEXT],
        }
        return SavedState(arrays | extra, boards, self.config)

    def set_state(self, saved: Mapping[str, Any], batch: tuple[int, ...], chosen: Chosen = ...) -> None:
        """Restores the `chosen` games from arrays with the first axes `batch`, or from those of one game.

        An unchanged `SavedState` is restored without checks. For any other state, a ValueError names an array that no
        game of the configuration reaches.
        """
        boards = saved.boards(self.config, batch) if isinstance(saved, SavedState) else None
        if boards is None:
            arrays = read_saved(saved, self.config, self.count, batch)
            boards = self._boards_of(arrays)
            check_reachable(arrays, boards.truth[:, :-1], self.config)
        self._copy(boards, chosen)

    def restore(self, saved: Arrays) -> None:
        """Restores games from arrays of N games, which are not checked."""
        self._copy(self._boards_of(saved))

    def _copy(self, boards: Sequence[NDArray[Any]], chosen: Chosen = ...) -> None:
        """Copies the fields of `state.Boards` of N games, or of one game, to each of the `chosen` games."""
        fields: Sequence[NDArray[Any]] = self.boards[:-1]
        for field, saved in zip(fields, boards, strict=False):
            field[chosen] = saved[chosen] if len(saved) == self.count else saved

    def _boards_of(self, saved: Arrays) -> state.Boards:
        """Returns new boards that the saved arrays of N games define."""
        config, mines = self.config, saved["mines"].reshape(self.count, -1)
        boards = _empty(self.count, config.cells)
        codes = saved["codes"].reshape(mines.shape)
        # A copy, as in `set_mines`. The kernel computes `truth` from it; what else the kernel sets is replaced below.
        layouts = np.array(mines, order="C")
        kernels.lay_out_batch(np.arange(self.count), layouts, *self._rules, *boards)
        boards.shown[:, :-1] = codes
        covered_safe = ((codes > config.codes.max_count) & ~mines).sum(axis=1)
        remaining = np.where(mines.any(axis=1), covered_safe, config.cells - config.mines)
        # The order is that of the columns: STATUS, REMAINING, STEPS and NEXT.
        columns = saved["status"], remaining, saved["steps"], saved["next_generator"].view(np.int64)
        boards.progress[:] = np.stack(columns, axis=1)
        boards.rng[:] = saved["generator"]
        return boards


def keep_freed_memory() -> None:
    """Makes glibc keep up to 64 MiB of freed memory, so that the arrays of the next call need not be mapped again.

    Without it a step of 4096 boards of 16x30 takes two to four times as long, most of which goes into 928 page faults.
    glibc keeps twice the size of the largest separately mapped block that was ever freed, up to 32 MiB (mallopt(3),
    M_MMAP_THRESHOLD). This function frees such a block without touching its pages; elsewhere it has no effect.
    """
    np.empty((32 << 20) - (1 << 16), np.uint8)


def _empty(count: int, cells: int) -> state.Boards:
    """Returns N boards without mines, whose games have not begun."""
    return state.Boards(
        shown=np.zeros((count, cells + 1), np.int8),
        truth=np.zeros((count, cells + 1), np.uint8),
        progress=np.zeros((count, 4), np.int64),
        rng=np.zeros(count, np.uint64),
        stack=np.zeros(cells, np.uint32),
    )


@cache
def compile_kernels(*, step_alone: bool = False) -> None:
    """Compiles the kernels, with `step_alone` only that of reset and step, or loads them from the disk, once a process.

    Environments call this when made, so that forked processes have the kernels.
    """
    games = Games(BoardConfig(1, 2, 1, first_click="any", moves=("click",)), 1, state.RewardWeights())
    games.play(np.zeros(1, np.int64), WAIT)
    if not step_alone:
        games.set_mines(np.array([[[True, False]]]))
        games.sample_actions(np.zeros(1, np.uint64))
