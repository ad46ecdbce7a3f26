"""One game as a person plays it, on the environment: marks, hints, help, a clock, and moves that can be taken back."""

import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partialmethod
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import FLAGGED, MINE, MOVE_NAMES, QUESTION
from minesweeper_env.codes import Move as EngineMove
from minesweeper_env.config import MAX_STEPS, BoardConfig, NoGuess, whole_number
from minesweeper_env.engine.state import LOST, PLAYING, WON
from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.inference import PositionTooHardError, certain_cells, mine_probabilities
from minesweeper_play.game.advice import Advice, advisable, advise, judge
from minesweeper_play.game.moves import Aid, Cell, Move, MoveKind, Report, cells_of, neighbours

Status = Literal["ready", "playing", "won", "lost"]


class Session:
    """A game from its first click to its end.

    The same seed and first click give the board that `MinesweeperEnv` has with that seed.

    Attributes:
        no_guess: the reasoning that solves the board without a guess; False for any board.
        identity: a random name, by which the statistics count a game once, even if it is loaded and finished again.
        moves: the moves that changed the board, without those that were taken back.
        exploded: the mine that was opened, in a lost game; the first in reading order if a chord opened several.
        practice: whether a move was taken back, or the layout was known before; then the game is in no statistics.
        aids: the kinds of help that the player used.
        on_attempts: called with the number of layouts tried so far and the largest number, while the first click
            searches for a board that needs no guess. An exception of the function cancels the search, and the click.
    """

    def __init__(
        self,
        config: BoardConfig,
        *,
        seed: int | None = None,
        no_guess: NoGuess = False,
        layout: NDArray[np.bool_] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Starts a game, whose first click places the mines; raises a ValueError that states what is allowed.

        The moves and the step limit of the configuration play no part. A seed of None is drawn, and short enough to
        type. A `layout`, bool (rows, cols), has the mines, and makes the game practice. `now` is a clock in seconds.
        """
        self.seed = secrets.randbelow(10**9) if seed is None else whole_number("seed", seed, 0)
        self.no_guess: NoGuess = replace(config, no_guess=no_guess).no_guess
        self.config = replace(config, moves=MOVE_NAMES, max_steps=MAX_STEPS, no_guess=False)
        self.identity = secrets.token_hex(8)
        self.moves: list[Move] = []
        self.exploded: Cell | None = None
        self.practice = layout is not None
        self.aids: set[Aid] = set()
        self.on_attempts: Callable[[int, int], object] = lambda *_: None
        self._now, self._seconds_before = now, 0.0
        self._running_since: float | None = None
        self._env = MinesweeperEnv(**self.config.arguments())
        self._env.reset(seed=self.seed, options=None if layout is None else {"layout": np.asarray(layout)})
        self._state: dict[str, Any] = self._env.get_state()
        self._history: list[dict[str, Any]] = []
        self._random = np.random.default_rng([self.seed, 1])

    @property
    def board(self) -> NDArray[np.int8]:
        """The visible codes, (rows, cols); each move makes a new array."""
        codes: NDArray[np.int8] = self._state["codes"]
        return codes

    @property
    def placed_mines(self) -> NDArray[np.bool_]:
        """The mines, bool (rows, cols), also of a game under way; all False until the first click places them."""
        mines: NDArray[np.bool_] = self._state["mines"]
        return mines

    @property
    def status(self) -> Status:
        """State of the game: "ready" until a cell is open, then "playing", "won" or "lost"."""
        if self._state["status"] in (WON, LOST):
            return "won" if self._state["status"] == WON else "lost"
        return "playing" if (self.board < FLAGGED).any() else "ready"

    @property
    def is_over(self) -> bool:
        return self.status in ("won", "lost")

    @property
    def mines_left(self) -> int:
        """The number of mines less the number of flags, below 0 with too many flags; 0 after a win."""
        return 0 if self.status == "won" else self.config.mines - int((self.board == FLAGGED).sum())

    @property
    def is_protected(self) -> bool:
        """True if the next click is the first one, and cannot hit a mine."""
        return not self.placed_mines.any() and (self.config.first_click != "any" or bool(self.no_guess))

    @property
    def seconds(self) -> float:
        """The seconds since the first cell was opened, up to the end of the game."""
        return self._seconds_before + (0.0 if self._running_since is None else self._now() - self._running_since)

    @property
    def forced_guesses(self) -> int:
        """The number of moves that opened a cell where none was certainly safe, without help and without a loss."""
        boards = [*(state["codes"] for state in self._history), self.board]
        count = 0
        for move, (before, after) in zip(self.moves, pairwise(boards), strict=True):
            opened = (before >= FLAGGED) & (after < FLAGGED) & (move.kind != "reveal")
            with suppress(PositionTooHardError):
                if opened.any() and (before < FLAGGED).any() and not (after == MINE).any():
                    count += not certain_cells(before, self.config.mines).safe.any()
        return count

    @property
    def board_before_loss(self) -> NDArray[np.int8]:
        """The board at the click that lost the game; a chord may have opened other cells before it."""
        state, move = self._history[-1], self.moves[-1]
        board: NDArray[np.int8] = state["codes"]
        if move.kind in ("open", "reveal") or self.exploded is None:
            return board
        # The final layout fits all cells that the chord opened, so a game with luck opens the same ones of it.
        trial = MinesweeperEnv(**replace(self.config, luck=True).arguments())
        trial.set_state({**state, "mines": self.placed_mines})
        for row, col in neighbours(move.cell, board.shape):
            if board[row, col] > FLAGGED and (row, col) < self.exploded:
                trial.step(row * self.config.cols + col)
        codes: NDArray[np.int8] = trial.get_state()["codes"]
        return codes

    def move(self, kind: MoveKind, row: int, col: int) -> Report:
        """Makes a move on a cell, and records it; a cell off the board raises a ValueError.

        A refused move changes nothing, and the report says why. If no board free of guesses is found at the first
        click, an ordinary one is played, and the report says so.
        """
        if not (0 <= row < self.config.rows and 0 <= col < self.config.cols):
            last = (self.config.rows - 1, self.config.cols - 1)
            raise ValueError(f"a cell of this board lies between (0, 0) and {last}, not at {(row, col)}")
        refusal, engine_moves = self._engine_moves(kind, (row, col))
        return _report_at(refusal, row, col) if refusal else self._play(kind, (row, col), engine_moves)

    # `open` floods from a 0; `flag` and `question` set a mark, or remove it. On an open number with as many flags
    # around it, `chord` and `expand` open its other neighbours; a wrong flag loses the game. On a number with as many
    # covered neighbours, `expand` flags them all.
    open = partialmethod(move, "open")
    flag = partialmethod(move, "flag")
    question = partialmethod(move, "question")
    chord = partialmethod(move, "chord")
    expand = partialmethod(move, "expand")

    def click(self, row: int, col: int) -> Report:
        """Opens a covered cell, or chords on an open number that has a covered neighbour without a flag."""
        is_number = self._is_open((row, col)) and bool(self._covered_around((row, col))[1])
        return self.move("chord" if is_number and not self.is_over else "open", row, col)

    def _engine_moves(self, kind: MoveKind, cell: Cell) -> tuple[str, list[tuple[EngineMove, Cell]]]:
        """Returns the message key that refuses a move, or "" and the moves of the environment that make it up."""
        code, (flags, others) = int(self.board[cell]), self._covered_around(cell)
        flags_missing = code - len(flags)  # around an open number
        if self.is_over:
            return "game_is_over", []
        if kind == "expand" and (not 0 < code < FLAGGED or flags_missing not in (0, len(others))):
            return "cannot_expand", []
        if kind == "expand" and not others:
            return "nothing_to_expand", []
        if kind == "expand" and flags_missing:
            return "", [(EngineMove.FLAG, other) for other in others]
        if kind in ("chord", "expand"):
            is_legal = others and not flags_missing
            return ("", [(EngineMove.CHORD, cell)]) if is_legal else ("cannot_chord", [])
        if code < FLAGGED:
            return "cell_is_open", []
        if kind == "open" and code == FLAGGED:
            return "cell_is_flagged", []
        if kind == "question":
            return "", [(EngineMove.UNFLAG if code == QUESTION else EngineMove.QUESTION, cell)]
        unflag = [(EngineMove.UNFLAG, cell)] if kind == "reveal" and code == FLAGGED else []
        return "", [*unflag, (EngineMove.FLAG if kind == "flag" else EngineMove.CLICK, cell)]

    def undo(self) -> Report:
        """Takes the last move back; from then on the game is practice. A won game stays won."""
        if self.status == "won" or not self._history:
            return Report("game_is_over" if self.status == "won" else "nothing_to_undo")
        before = self.board
        self._take_back()
        self.practice = True
        self._run_clock(self.status == "playing")
        return Report("undone", cells_of(before != self.board))

    def repeat(self, move: Move) -> Report:
        """Makes a recorded move again, with the time of the record."""
        report = self.move(move.kind, *move.cell)
        if report.accepted:
            self.moves[-1] = move
        return report

    def pause(self, pauses: bool = True) -> None:
        """Stops the clock of a game under way, or lets it go on."""
        self._run_clock(self.status == "playing" and not pauses)

    def resume(self, seconds: float, practice: bool) -> None:
        """Sets the seconds on the clock, and whether the game is practice, after its recorded moves are repeated."""
        self._seconds_before, self.practice = seconds, practice
        if self._running_since is not None:
            self._running_since = self._now()

    def opening_layers(self, report: Report, origin: Cell) -> list[list[Cell]]:
        """Returns the cells that a move on `origin` opened, in layers: `origin`, then what the zeros of each open.

        A chord does not open its own cell. A single cell and a lost game have no layers.
        """
        unshown = {cell for cell in report.cells if self._is_open(cell)}
        if self.status == "lost" or len(unshown) < 2:
            return []
        layers, layer = [], [origin]
        while layer:
            layers += [layer] if unshown.issuperset(layer) else []  # The own cell of a chord is no layer.
            unshown -= {*layer}
            zeros = (cell for cell in layer if self.board[cell] == 0 or cell == origin)
            around = {near for cell in zeros for near in neighbours(cell, self.board.shape)}
            layer = sorted(around & unshown)
        return [*layers, sorted(unshown)] if unshown else layers

    def probabilities(self) -> NDArray[np.float64]:
        """Returns the mine probability of each cell, (rows, cols), 0.0 on open cells; the game notes this aid.

        Before the first click it is mines / cells, whatever protects that click. Raises a PositionTooHardError.
        """
        self.aids.add("probabilities")
        return mine_probabilities(self.board, self.config.mines)

    def hint(self, cell: Cell | None = None) -> Advice:
        """Returns the shortest proof of a safe cell, or else the guess that wins most; the game notes this aid.

        For a covered cell it returns the proof that the cell is safe or a mine, or else its risk. Raises a
        PositionTooHardError, and a ValueError if the game is over or the cell is open.
        """
        if self.refuse_hint(cell):
            raise ValueError("there is no hint once the game is over, nor on an open cell")
        self.aids.add("hint")
        if cell is not None:
            return judge(self.board, self.config, cell, is_protected=self.is_protected)
        return advise(self.board, self.config, is_protected=self.is_protected)

    def help(self) -> Report:
        """Reports whether a safe cell can be inferred; if none can, opens random safe cells until one can.

        The game notes this aid. Raises a PositionTooHardError.
        """
        if self.is_over:
            return Report("game_is_over")
        self.aids.add("help")
        before, moves_before = self.board, len(self.moves)
        while not self.is_over and not self._has_safe_click():
            self._reveal()
        if len(self.moves) == moves_before:
            return Report("first_click_is_safe" if self.is_protected else "can_infer")
        revealed = {"count": len(self.moves) - moves_before}
        return Report("won" if self.is_over else "revealed", cells_of(before != self.board), revealed)

    def refuse_hint(self, cell: Cell | None) -> Report | None:
        """Returns why there is no hint, or none on this cell; None if there is one."""
        if self.is_over:
            return Report("game_is_over")
        return _report_at("cell_is_open", *cell) if cell is not None and self._is_open(cell) else None

    def _has_safe_click(self) -> bool:
        """Returns whether a click is certainly safe, by the first-click rule or by the clues."""
        return self.is_protected or bool(certain_cells(self.board, self.config.mines).safe.any())

    def _reveal(self) -> None:
        """Opens a random safe cell, an unflagged one if there is one."""
        safe = (self.board >= FLAGGED) & ~self.placed_mines
        for cell in self._random.permutation(advisable(cells_of(safe), self.board)).tolist():
            self.move("reveal", *cell)
            if self.status != "lost":
                return
            # Under the rule "any" nobody knows the mines before the click that places them.
            self._take_back()

    def _play(self, kind: MoveKind, cell: Cell, engine_moves: Sequence[tuple[EngineMove, Cell]]) -> Report:
        """Makes a move that `_engine_moves` allows, records it, and returns its report."""
        opened = [cell] if engine_moves[-1][0] == EngineMove.CLICK else []
        if engine_moves[-1][0] == EngineMove.CHORD:
            opened = self._covered_around(cell)[1]
        # The player may cancel the search for a board, so it comes before anything changes.
        level = self.no_guess if opened and not self.placed_mines.any() else False
        layout = self._find_layout(cell, level) if level else None
        if opened and self.status == "ready":
            self._run_clock(True)
        self.moves.append(Move(kind, *cell, self.seconds))
        before = self.board
        # `dict` drops the copies for a quick restoration, which would take most of the memory of a long game.
        self._history.append(dict(self._state))
        if layout is not None:
            self._env.set_state({**self._state, "mines": layout, "status": np.int64(PLAYING)})
        for engine_move, (row, col) in engine_moves:
            self._env.step(engine_move * self.config.cells + row * self.config.cols + col)
        self._state = self._env.get_state()
        if self.is_over:
            self._run_clock(False)
        if self.status == "lost":
            self.exploded = min(mine for mine in opened if self.placed_mines[mine])
        search_key = ("solvable" if self.no_guess else "unsolvable") if level else ""
        key = self.status if self.is_over else search_key
        return replace(_report_at(key, *cell), cells=cells_of(before != self.board))

    def _find_layout(self, first_cell: Cell, level: Literal["subset", "exact"]) -> NDArray[np.bool_] | None:
        """Returns a layout without guesses; a search in vain clears `no_guess`, and returns None or any safe layout."""
        from minesweeper_env.generation import MAX_ATTEMPTS, GenerationError, generate

        def note(attempts: int) -> None:
            self.on_attempts(attempts, MAX_ATTEMPTS)

        try:
            return generate(self.config, first_cell, level, self.seed, on_attempts=note).layout
        except GenerationError:
            self.no_guess = False
        if self.config.first_click != "any":
            return None
        # A hint may have called the first click safe, so it stays safe.
        mines, (row, col) = np.zeros(self.board.shape, np.bool_), first_cell
        others = np.delete(np.arange(mines.size), row * self.config.cols + col)
        mines.flat[self._random.choice(others, self.config.mines, replace=False)] = True
        return mines

    def _take_back(self) -> None:
        self._state = self._history.pop()
        self._env.set_state(self._state)
        self.moves.pop()
        self.exploded = None

    def _run_clock(self, runs: bool) -> None:
        """Starts or stops the clock, which had `_seconds_before` at `_running_since`; this is None while it stands."""
        if runs != (self._running_since is not None):
            self._seconds_before, self._running_since = self.seconds, self._now() if runs else None

    def _is_open(self, cell: Cell) -> bool:
        return bool(self.board[cell] < FLAGGED)

    def _covered_around(self, cell: Cell) -> tuple[list[Cell], list[Cell]]:
        """Returns the flagged neighbours of a cell, and its other covered neighbours."""
        covered = [near for near in neighbours(cell, self.board.shape) if not self._is_open(near)]
        flags = [near for near in covered if self.board[near] == FLAGGED]
        return flags, [near for near in covered if near not in flags]


def _report_at(key: str, row: int, col: int) -> Report:
    return Report(key, (), {"x": col + 1, "y": row + 1})
