"""Games without luck: a click that no logic could avoid survives, and any other click on a possible mine loses.

Before each move `LayoutRedraw` checks the layout against this rule, and draws a new one where the layout breaks it.
The move itself is then that of any game. The draw is uniform among the layouts that fit the visible board and the rule.
So all layouts that fit stay equally likely, and the board tells the player no more than in other games.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from gymnasium import logger
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.config import MAX_STEPS, BoardConfig
from minesweeper_env.engine import state
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.rules import CHORD, CLICK, is_legal, read_action
from minesweeper_env.engine.state import RULE_FIELDS, Boards, CodeArray, Generators, Int, Integers, RewardWeights, Rules
from minesweeper_env.inference.boards import PositionTooHardError
from minesweeper_env.inference.counting.forward_pass import BOOLEAN
from minesweeper_env.inference.counting.frontier import read_board
from minesweeper_env.inference.counting.posterior import finish_posterior
from minesweeper_env.inference.counting.workspace import OK, Floats, Workspace, frontier_of
from minesweeper_env.inference.kernels import run_boards
from minesweeper_env.inference.reading import SAFE
from minesweeper_env.inference.sampling import fill_layouts
from minesweeper_env.splitmix import GOLDEN, mix
from minesweeper_env.threads import ThreadPool, split

FITS, NEEDS_FREE, NEEDS_MINE, OPENS_SEVERAL = range(4)
"""Verdicts on a layout and a move: it fits, the clicked cell must become free or a mine, or the move is a chord."""

LEAST_GAMES = 32
"""The fewest games that one thread gets, because handing fewer to a thread costs more than it saves."""

_WORKSPACE = RULE_FIELDS + len(Boards._fields)
_11, _2_TO_53 = np.uint64(11), float(1 << 53)


@kernel
def judge_moves(
    begin: int, actions: Integers, seen: CodeArray, verdicts: CodeArray, certainties: Floats, *arrays: Any
) -> tuple[int, int]:
    """Judges whether each layout fits the next move; returns (N, OK), or the first game that it cannot judge, and why.

    Args:
        begin: the first game to judge.
        actions: (N,) int64, valid actions.
        seen: (N, n) int8, the boards as the kernel last saw them, which it updates; a covered cell that is safe in all
            layouts has the code after that of a mine.
        verdicts: (N,) int8, filled with FITS, NEEDS_FREE, NEEDS_MINE or OPENS_SEVERAL.
        certainties: (n,) float64, scratch; see `_weigh_click`.
        *arrays: the fields of `Rules`, of `Boards` and of a `Workspace`.
    """
    rules, boards = Rules(*arrays[:RULE_FIELDS]), Boards(*arrays[RULE_FIELDS:_WORKSPACE])
    workspace = Workspace(*arrays[_WORKSPACE:])
    cells, max_count = rules.neighbours.shape
    for i in range(begin, len(actions)):
        verdicts[i] = FITS
        move, cell = read_action(rules, actions[i])
        if boards.progress[i, state.STATUS] != state.PLAYING or not is_legal(rules, boards.shown, i, move, cell):
            continue
        board = boards.shown[i, :cells]
        if move == CHORD:
            verdicts[i] = OPENS_SEVERAL
        elif move == CLICK and _has_open_cell(board, max_count):
            outcome, has_safe_cell = _weigh_click(board, max_count, rules.mines, cell, seen[i], certainties, workspace)
            if outcome != OK:
                return i, outcome
            # While some cell is safe, a click on a possible mine loses; while none is, only a certain mine loses.
            is_mine = boards.truth[i, cell] >= state.MINE_BIT
            if certainties[cell] != 0.0 and has_safe_cell and not is_mine:
                verdicts[i] = NEEDS_MINE
            elif certainties[cell] != 1.0 and not has_safe_cell and is_mine:
                verdicts[i] = NEEDS_FREE
    return len(actions), OK


@inlined
def _has_open_cell(board: CodeArray, max_count: int) -> bool:
    num_open = 0
    for cell in range(len(board)):
        num_open += board[cell] <= max_count
    return num_open > 0


@inlined
def _weigh_click(
    board: CodeArray, max_count: int, mines: int, clicked: Int, seen: CodeArray, certainties: Floats, work: Workspace
) -> tuple[int, bool]:
    """Returns the outcome, and whether some covered cell is safe in all layouts.

    Sets `certainties[clicked]`: 0.0 if no layout has a mine there, 1.0 if all have one, and else another number. Tries
    `seen` first, then single clues, then the oracle, which costs most.
    """
    safe_code = np.int8(max_count + 5)
    # More clues leave fewer layouts, so what was safe stays safe as long as all clues of that time still show.
    seen_holds = True
    for cell in range(len(board)):
        seen_holds &= seen[cell] > max_count or seen[cell] == board[cell]
    if seen_holds and seen[clicked] == safe_code:
        certainties[clicked] = 0.0
        return OK, True
    outcome = read_board(work, board)
    if outcome != OK:
        return outcome, False
    by_single_clues = frontier_of(work).known
    needs_oracle = by_single_clues[clicked] != SAFE
    if needs_oracle:
        outcome, _ = finish_posterior(work, mines, 0.0, BOOLEAN, certainties)
        if outcome != OK:
            return outcome, False
    else:
        certainties[clicked] = 0.0
    has_safe_cell = False
    for cell in range(len(board)):
        safe_without_oracle = by_single_clues[cell] == SAFE or (seen_holds and seen[cell] == safe_code)
        is_safe = board[cell] > max_count and (certainties[cell] == 0.0 if needs_oracle else safe_without_oracle)
        has_safe_cell |= is_safe
        seen[cell] = safe_code if is_safe else board[cell]
    return OK, has_safe_cell


@kernel
def draw_uniforms(generators: Generators, i: int, uniforms: Floats) -> None:
    """Fills an array with random numbers from [0, 1), from the SplitMix64 generator of game i."""
    for k in range(len(uniforms)):
        uniforms[k] = (mix(generators[i]) >> _11) / _2_TO_53  # a float64 has 53 bits
        generators[i] += GOLDEN


class LayoutRedraw:
    """Redraws layouts that break the rule of games without luck; each environment owns a `LayoutRedraw`.

    Attributes:
        too_hard: (N,) int64, how many cells of the last step luck decided, because the oracle could not judge them.
    """

    def __init__(self, config: BoardConfig, count: int, pool: ThreadPool) -> None:
        """Prepares for N = `count` games of a configuration; the threads of `pool` share the work of a step."""
        self.too_hard = np.zeros(count, np.int64)
        self._config, self._pool = config, pool
        self._seen = self._hidden_boards(count)
        self._has_warned = False
        if "chord" in config.moves:
            # One game in which a chord is tried click by click, without a limit of steps.
            self._trial = Games(replace(config, moves=("click",), max_steps=MAX_STEPS), 1, RewardWeights())

    def _hidden_boards(self, count: int) -> CodeArray:
        return np.full((count, self._config.cells), self._config.codes.hidden, np.int8)

    def set_mines(self, games: Games, actions: Integers) -> None:
        """Redraws the layouts that break the rule under these actions, (N,) int64."""
        self.too_hard[:] = 0
        if ((actions < 0) | (actions >= self._config.actions)).any():
            return
        for i in self._redraw_for_clicks(games, actions, self._seen, self.too_hard):
            self._redraw_for_chord(games, i, int(actions[i]) % self._config.cells)
        if self.too_hard.any() and not self._has_warned:
            self._has_warned = True
            logger.warn(
                "a board is too hard for the oracle, so luck decides this click; info['too_hard'] counts such cells"
            )

    def _redraw_for_clicks(self, games: Games, actions: Integers, seen: CodeArray, too_hard: Integers) -> list[int]:
        """Redraws the layouts that break the rule under a click; returns the games whose action is a chord.

        Updates `seen`, (N, n) int8, and counts in `too_hard`, (N,) int64, the boards that keep their layouts.
        """
        verdicts = np.empty(games.count, np.int8)

        def judge(part: slice) -> None:
            fields = (field[part] for field in games.boards[:-1])  # all but the stack, which games share
            arrays = (*games.arrays[:RULE_FIELDS], *fields, games.boards.stack)
            self._judge(arrays, actions[part], seen[part], verdicts[part], too_hard[part])

        self._pool.run(judge, split(games.count, min(self._pool.threads, games.count // LEAST_GAMES)))
        redrawn, layouts = [], []
        for i in np.flatnonzero((verdicts == NEEDS_FREE) | (verdicts == NEEDS_MINE)).tolist():
            try:
                layouts.append(self._draw(games, i, int(actions[i]), verdicts[i] == NEEDS_MINE))
                redrawn.append(i)
            except PositionTooHardError:
                too_hard[i] += 1
        if redrawn:
            games.set_mines(np.concatenate(layouts), np.array(redrawn))
        return np.flatnonzero(verdicts == OPENS_SEVERAL).tolist()

    def _judge(
        self, arrays: tuple[Any, ...], actions: Integers, seen: CodeArray, verdicts: CodeArray, too_hard: Integers
    ) -> None:
        """Calls `judge_moves` for all games; counts in `too_hard` the boards that the oracle cannot judge."""

        def count_too_hard(game: int) -> None:
            too_hard[game] += 1

        certainties, shown = np.empty(self._config.cells), arrays[RULE_FIELDS]
        arguments = (actions, seen, verdicts, certainties, *arrays)
        run_boards(self._config, judge_moves, arguments, lambda game: shown[game, :-1], count_too_hard)

    def _draw(self, games: Games, i: int, cell: int, is_mine: bool) -> NDArray[np.bool_]:
        """Draws a layout, (1, n) bool, uniformly from those that fit game i and make `cell` a mine, or else free."""
        config = self._config
        board = games.boards.shown[i, :-1].copy()
        # The sampler reads the code of a mine as a known mine, and the code after it as a known safe cell.
        board[cell] = config.codes.mine + (not is_mine)
        uniforms, layouts = np.empty((1, 3 * config.cells + 1)), np.empty((1, config.cells), np.bool_)
        draw_uniforms(games.boards.rng, i, uniforms[0])  # 3 * n + 1 numbers, as `fill_layouts` needs
        fill_layouts(board.reshape(config.rows, config.cols), config.mines, config.radius, uniforms, layouts)
        return layouts

    def _redraw_for_chord(self, games: Games, i: int, cell: int) -> None:
        """Redraws the layout of game i for a chord at `cell`: clicks the cells around it in a copy of the game."""
        trial, too_hard = self._trial, self.too_hard[i : i + 1]
        trial_fields: Sequence[NDArray[Any]] = trial.boards[:-1]
        fields: Sequence[NDArray[Any]] = games.boards[:-1]
        for trial_field, field in zip(trial_fields, fields, strict=True):
            trial_field[0] = field[i]
        seen, config = self._hidden_boards(1), self._config
        for neighbour in neighbour_table(config.rows, config.cols, config.radius)[cell].tolist():
            if trial.status[0] == state.PLAYING and trial.boards.shown[0, neighbour] >= config.codes.question:
                click = np.array([neighbour], np.int64)
                self._redraw_for_clicks(trial, click, seen, too_hard)
                trial.play(click, state.WAIT)
        games.set_mines(trial.mines(), np.array([i]))
        games.boards.rng[i] = trial.boards.rng[0]


@cache
def compile_redraw() -> None:
    """Compiles the kernels, or loads them from the disk, once a process; forked processes then have them."""
    config = BoardConfig(1, 3, 1, first_click="safe", moves=("click",), luck=False)
    games, left_cell = Games(config, 1, RewardWeights()), np.zeros(1, np.int64)
    games.reset(np.ones(1, np.bool_), np.array([[[True, False, False]]]))
    games.play(left_cell + 1, state.WAIT)
    # The middle cell shows a 1, so the left one, a mine, is a forced guess: its layout is drawn anew.
    LayoutRedraw(config, 1, ThreadPool()).set_mines(games, left_cell)
