"""Games of Minesweeper in text, and the exact judgement of clicks."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.codes import FLAGGED
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig, NoGuess, items_of, one_of, whole_number
from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.inference.boards import check_boards
from minesweeper_env.inference.kernels import TIE
from minesweeper_env.inference.oracle import Oracle
from minesweeper_env.text.boards import STYLES, board_text, rules_text
from minesweeper_env.text.replies import Reply, parse_reply
from minesweeper_env.text.rewards import GameRewards, reward_weights

SPLITS: tuple[str, ...] = ("train", "dev", "test")
"""The parts into which all layouts are divided; `split_of` returns the part of a layout."""

_TRIES = 1000
"""The largest number of games of a seed that `reset` tries until one fits `opened` and `split`."""

_WON, _LOST = " You won.", " It was a mine: you lost."
_TOO_MANY, _NO_TURNS = (f"\nThe game ends: {why}." for why in ("too many illegal replies", "no turns are left"))


class Judgement(NamedTuple):
    """The exact mine probabilities of N clicks. They are NaN on a board that is too hard for the oracle.

    Attributes:
        risk: (N,) float64, the probability that the clicked cell is a mine, given the board alone.
        least: (N,) float64, the least probability of the covered cells.
        sound: (N,) bool, True if logic proves the cell safe or, where no cell is safe, if its risk is the least.
    """

    risk: NDArray[np.float64]
    least: NDArray[np.float64]
    sound: NDArray[np.bool_]


def judge_clicks(boards: ArrayLike, mines: int, clicks: ArrayLike) -> Judgement:
    """Judges one click on each of N boards, by the exact mine probabilities before the click.

    Args:
        boards: (N, rows, cols) cell codes.
        mines: the number of mines of each board.
        clicks: (N,) whole numbers, row * cols + col of a covered cell.

    Raises:
        ValueError: the boards are not allowed, or the clicks are not one covered cell for each board.
        InconsistentBoardError: no layout fits a board.
    """
    codes, mines, _ = check_boards(boards, 3, mines, 1)
    games, config = np.arange(len(codes)), BoardConfig.of_size(codes.shape[1:], mines, first_click="any")
    flat_codes = codes.reshape(len(codes), config.cells)
    cells = np.asarray(clicks, None if np.size(clicks) else np.int64)  # NumPy makes an empty list float64.
    are_ints = cells.shape == games.shape and cells.dtype.kind in "iu"
    if not are_ints or ((cells < 0) | (cells >= config.cells)).any() or (flat_codes[games, cells] < FLAGGED).any():
        raise ValueError(f"clicks must be row * cols + col of a covered cell, one for each of {len(codes)} boards")
    probabilities = Oracle(config).ask(codes).probabilities.reshape(flat_codes.shape)
    risk = probabilities[games, cells]
    least = np.where(flat_codes >= FLAGGED, probabilities, np.inf).min(axis=1, initial=np.inf)
    return Judgement(risk, least, np.where(least > 0.0, risk - least < TIE, risk == 0.0))


def split_of(board: ArrayLike) -> str:
    """Returns the part of `SPLITS` of a layout, (rows, cols) bool, or of a visible board, (rows, cols) codes.

    The first byte of a SHA-256 hash divides all boards into tenths: 0 to 7 are train, 8 is dev, and 9 is test. The
    hash is the same on every machine, and for all rotations and reflections of a board.
    """
    raw = np.asarray(board)
    # Codes of another dtype would have other bytes, and so belong to another part.
    cells, pack = (raw, np.packbits) if raw.dtype == np.bool_ else (raw.astype(np.int8), np.ascontiguousarray)
    symmetries = [np.rot90(variant, turns) for variant in (cells, cells.T) for turns in range(4)]
    canonical = min(bytes(str(image.shape), "ascii") + pack(image).tobytes() for image in symmetries)
    tenth = hashlib.sha256(canonical).digest()[0] * 10 // 256
    return SPLITS[max(0, tenth - 7)]


def shortened(messages: Sequence[Any], history: int | None) -> list[Any]:
    """Returns the first message (the prompt), the last `history` exchanges, and the last message (the board).

    An exchange is two messages, a board and its reply. None keeps all; 0 loses no fact, as the last board has them all.
    """
    if history is None:
        return [*messages]
    return [messages[0], *messages[1:][-1 - 2 * whole_number("history", history, 0) :]]


class TextGame:
    """A game of Minesweeper in text.

    `reset` and `step` return what those of a Gymnasium environment return, with text as the observation and as the
    action. An illegal reply changes nothing, and the next text begins with what is wrong. `copy.deepcopy` branches a
    game. docs/how-to/language-models.md explains the rewards.
    """

    def __init__(
        self,
        size: int | Sequence[int] = 8,
        mines: int | None = None,
        first_click: str = "opening",
        no_guess: NoGuess = False,
        luck: bool = True,
        *,
        style: str = "grid",
        reward: str | Mapping[str, float] = "win",
        max_illegal: int | None = 5,
        moves: Sequence[str] = ("open",),
        opened: str | Sequence[int] | None = None,
        max_turns: int | None = None,
        split: str | None = None,
    ) -> None:
        """Checks the arguments; `reset` starts a game.

        Args:
            size: side of a square board, or (rows, cols).
            mines: the number of mines; None follows the size, as in `MinesweeperEnv`.
            first_click: "opening", "safe" or "any".
            no_guess: "subset" or "exact" for boards that logic of this level wins.
            luck: False for games in which forced guesses survive and avoidable ones lose; `split` needs True.
            style: one of `STYLES`.
            reward: one of `REWARDS`, or weights by name, such as {"win": 1, "sound": 0.5}.
            max_illegal: the number of illegal replies that truncates the game; None for no limit.
            moves: ("open",) or ("open", "flag").
            opened: "middle", or the (row, col) of a first click that `reset` makes, so that all games of a seed have
                one layout; None leaves it to the player.
            max_turns: the number of replies that truncates the game; None for no limit but that of `MinesweeperEnv`.
            split: one of `SPLITS`; `reset` skips the layouts of the other parts. It needs `opened`.

        Raises:
            ValueError: the value of an argument is not allowed; the message lists the allowed ones.
        """
        self.style, self.weights = one_of("style", style, STYLES), reward_weights(reward)
        # Under other rules for the first click the layouts that fit a board are not equally likely.
        one_of("first_click", first_click, UNIFORM_FIRST_CLICKS)
        self.moves = tuple(map(str, items_of(moves)))
        if self.moves not in (("open",), ("open", "flag")):
            raise ValueError(f"moves must be ('open',) or ('open', 'flag'), not {moves!r}")
        engine_moves = ("click", "flag")[: len(self.moves)]
        self.env = MinesweeperEnv(size, mines, first_click, engine_moves, no_guess=no_guess, luck=luck)
        self.config = self.env.config
        self.max_illegal = None if max_illegal is None else whole_number("max_illegal", max_illegal, 1)
        self.max_turns = None if max_turns is None else whole_number("max_turns", max_turns, 1)
        self.opened = None if opened is None else _cell_of(opened, self.config)
        self.split = None if split is None else one_of("split", split, SPLITS)
        if split is not None and opened is None:
            raise ValueError("split needs opened, because the first click decides the layout; opened='middle' does")
        if split is not None and not luck:
            raise ValueError("split needs luck, because without it a layout may change during its game")
        self.illegal, self.turns, self.over = 0, 0, True

    def prompt(self, tools: bool = False) -> str:
        """Returns the rules and the form of a reply; with `tools` the reply is a call of a tool, `open` or `flag`."""
        return rules_text(self.config, self.style, self.max_illegal, tools, self.opened, self.max_turns)

    def observation(self) -> str:
        """Returns the board as text."""
        return board_text(self.codes, self.config.mines, self.style)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Starts a game as `MinesweeperEnv.reset` does; returns the board as text, and an empty info.

        With `opened`, it starts the first game of the seed that this click does not end and whose layout is in `split`.

        Raises:
            ValueError: an option is not allowed, or no game fits.
        """
        self.codes, _ = self.env.reset(seed=seed, options=options)
        self.over = True  # until a game is found
        is_protected = self.config.first_click != "any" or bool(self.config.no_guess)
        self._is_first_safe = is_protected and not options  # No rule protects the first click on a given layout.
        if self.opened is not None:
            self._make_first_click(1 if options else _TRIES)
        self._rewards = GameRewards(self.config.cells - self.config.mines, self._open_cells())
        self.illegal, self.turns, self.over = 0, 0, False
        return self.observation(), {}

    def _make_first_click(self, tries: int) -> None:
        """Clicks `opened` in this game or, if it does not fit, in the first of `tries - 1` later ones that fits."""
        assert self.opened is not None
        row, col = self.opened
        for attempt in range(tries):
            if attempt:
                self.env.reset()
            self.codes, _, terminated, _, _ = self.env.step(row * self.config.cols + col)
            if not terminated and self.split in (None, split_of(self.env.get_state()["mines"])):
                return
        split_part = f" and whose layout belongs to {self.split}" * (self.split is not None)
        raise ValueError(f"no game was found that goes on after a first click at {self.opened}{split_part}")

    def _open_cells(self) -> int:
        return int((self.codes < FLAGGED).sum())

    def step(self, reply: str | None) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Makes the move of a reply.

        Returns:
            The event and the board as text; the reward; whether the game is won or lost; whether a limit ended it; and
            the info: `illegal`, `error`, `cell`, `is_success`, `rewards` (the changes by name), and for a click also
            `risk`, `excess_risk` and `sound`.

        Raises:
            gymnasium.error.ResetNeeded: no game is in progress.
        """
        if self.over:
            raise ResetNeeded("no game is in progress: call reset() first")
        move = parse_reply(reply, self.codes, self.moves)
        self.turns += 1
        self._rewards.reply(move.action is not None)
        event, ending, verdict = self._reject(move) if move.action is None else self._make_move(move.action, move.cell)
        if not ending and self.turns == self.max_turns:
            ending = _NO_TURNS
        self.over, won, lost = bool(ending), ending == _WON, ending == _LOST
        given_up = self.over and not won and not lost
        rewards = self._rewards.changes(won, lost, given_up)
        info = {"illegal": bool(move.error), "error": move.error, "cell": move.cell, "is_success": won}
        text = f"{event}{ending}\n\n{self.observation()}"
        return text, self.weigh(rewards), won or lost, given_up, info | {"rewards": rewards} | verdict

    def _reject(self, move: Reply) -> tuple[str, str, dict[str, Any]]:
        """Counts an illegal reply; returns its error, how the game ended or "", and no judgement."""
        self.illegal += 1
        return move.error, _TOO_MANY if self.illegal == self.max_illegal else "", {}

    def _make_move(self, action: int, cell: Any) -> tuple[str, str, dict[str, Any]]:
        """Makes a legal move; returns what happened, how the game ended or "", and the judgement of a click."""
        verdict, was_flagged, is_first_click = self._judge(action), self.codes[cell] == FLAGGED, not self._open_cells()
        self.codes, _, terminated, truncated, info = self.env.step(action)
        if verdict:
            excess_risk, sound = verdict["excess_risk"], verdict["sound"]
            if not self.config.luck and not is_first_click and not math.isnan(excess_risk):
                # Without luck the rule decides each later click: a click that survives is sound, whatever its risk.
                sound = not terminated or info["is_success"]
                excess_risk = 0.0 if sound else 1.0
                verdict |= {"excess_risk": excess_risk, "sound": sound}
            self._rewards.click(self._open_cells(), excess_risk, sound)
        verb = "opened" if verdict else "removed the flag from" if was_flagged else "flagged"
        ending = _WON if info["is_success"] else _LOST if terminated else _NO_TURNS if truncated else ""
        return f"You {verb} {cell}.", ending, verdict

    def weigh(self, rewards: Mapping[str, float]) -> float:
        """Returns the weighted sum of rewards by name, such as those of `give_up`, with the weights of this game."""
        return sum(weight * rewards.get(name, 0.0) for name, weight in self.weights.items())

    def give_up(self) -> dict[str, float]:
        """Ends the game where a library's own limit does; returns the changes of the rewards by name, {} if over."""
        is_over, self.over = self.over, True
        return {} if is_over else self._rewards.changes(given_up=True)

    def _judge(self, action: int) -> dict[str, Any]:
        """Returns the exact risk of a click, its excess over the least one, and whether it is sound; {} for a flag."""
        if action >= self.config.cells:  # a flag
            return {}
        if self._is_first_safe and not self._open_cells():
            return {"risk": 0.0, "excess_risk": 0.0, "sound": True}
        risk, least, sound = (value.item() for value in judge_clicks(self.codes[None], self.config.mines, [action]))
        return {"risk": risk, "excess_risk": risk - least, "sound": sound}


def _cell_of(opened: Any, config: BoardConfig) -> tuple[int, int]:
    if isinstance(opened, str) and opened in ("middle", "centre"):
        return config.rows // 2, config.cols // 2
    if len(cell := items_of(opened)) != 2:
        raise ValueError(f"opened must be 'middle' or a cell (row, col), not {opened!r}")
    row = whole_number("the row of opened", cell[0], 0, config.rows - 1)
    return row, whole_number("the column of opened", cell[1], 0, config.cols - 1)
