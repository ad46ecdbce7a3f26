"""Minesweeper as text, for language models: the board in words, the moves of replies, and the exact risk of clicks.

`TextGame` plays a game of `MinesweeperEnv`; no rule is added. docs/how-to/language-models.md shows its use.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.codes import FLAGGED, HIDDEN
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig, NoGuess, one_of, whole_number
from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.escape import counted
from minesweeper_env.inference.oracle import Oracle
from minesweeper_env.rendering import join_cells
from minesweeper_env.replies import Reply, asked_form, parse_reply

__all__ = [
    "REWARDS",
    "STYLES",
    "Judgement",
    "Reply",
    "TextGame",
    "board_text",
    "judge_clicks",
    "parse_reply",
    "rules_text",
]

STYLES: tuple[str, ...] = ("grid", "list", "json")
"""The forms of the board: rows of characters, a list of the open cells, or JSON."""

REWARDS: tuple[str, ...] = ("win", "progress", "risk", "sound")
"""The rewards, which docs/how-to/language-models.md explains."""

_TIE = 1e-9
"""Probabilities that differ by less are equal."""

_SYMBOLS = "012345678###*"
"""The character of each cell code; the games have no flags."""

_FIRST_CLICKS = {
    "opening": "The first cell that you open is a 0.",
    "safe": "The first cell that you open is no mine.",
    "any": "The first cell that you open may be a mine.",
    "corners": "Mines around the first cell that you open move to the corners.",
}


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
    """Judges one click on each of N boards by the exact mine probabilities of the board before it.

    Args:
        boards: (N, rows, cols) cell codes.
        mines: the number of mines of each board.
        clicks: (N,) whole numbers, row * cols + col of a covered cell.

    Raises:
        ValueError: a click is not on a covered cell.
        InconsistentBoardError: no layout fits a board.
    """
    codes, cells = np.asarray(boards, np.int8), np.asarray(clicks)
    flat, each = codes.reshape(len(codes), codes[0].size if len(codes) else 0), np.arange(len(codes))
    if ((cells < 0) | (cells >= flat.shape[1])).any() or (flat[each, cells] < FLAGGED).any():
        raise ValueError("a click must be row * cols + col of a covered cell")
    config = BoardConfig(codes.shape[1], codes.shape[2], mines, first_click="any")
    probabilities = Oracle(config).ask(codes).probabilities.reshape(flat.shape)
    risk = probabilities[each, cells]
    least = np.where(flat >= FLAGGED, probabilities, np.inf).min(axis=1, initial=np.inf)
    return Judgement(risk, least, np.where(least > 0.0, risk - least < _TIE, risk == 0.0))


def board_text(codes: NDArray[np.int8], mines: int, style: str = "grid") -> str:
    """Returns a board of (rows, cols) cell codes as text in one of `STYLES`."""
    covered = int((codes == HIDDEN).sum())
    cells = [[_SYMBOLS[code] for code in row] for row in codes.tolist()]
    if style == "json":
        rows = ",\n".join("  [" + ", ".join(f'"{cell}"' for cell in row) + "]" for row in cells)
        return f'{{"mines": {mines}, "covered": {covered}, "board": [\n{rows}\n]}}'
    body = join_cells(cells, 1, ":") if style == "grid" else _lists(cells)
    return f"{body}\n{counted(mines, 'mine')}, {counted(covered, 'covered cell')}"


def _lists(cells: Sequence[Sequence[str]]) -> str:
    known = [
        (f"({row}, {col})", cell) for row, line in enumerate(cells) for col, cell in enumerate(line) if cell != "#"
    ]
    opened = ", ".join(f"{place} = {cell}" for place, cell in known if cell != "*")
    mines = ", ".join(place for place, cell in known if cell == "*")
    return f"open: {opened or 'none'}" + (f"\nmines: {mines}" if mines else "") + "\nall other cells are covered"


def rules_text(config: BoardConfig, style: str, max_illegal: int | None, tools: bool = False) -> str:
    """Returns the prompt: the rules of the games, the form of the board, and the form of a reply.

    With `tools` the reply is a call of the tool `open`; otherwise it is free text with one move.
    """
    forms = {
        "grid": "On the board, # is a covered cell, a digit is an open cell, and * is a mine.",
        "list": "The board is a list of the open cells with their numbers, as (row, column) = number.",
        "json": 'The board is JSON by rows: "#" is a covered cell, a digit is an open cell, "*" is a mine.',
    }
    if tools:
        reply = "Make one move at a time: call the tool open with row and col."
    else:
        reply = f"Reply with one move: {asked_form()}. You may think first; the last move of a reply counts."
    limit = "" if max_illegal is None else f"; illegal reply number {max_illegal} ends the game"
    logic = "No guess is needed: after the first move some covered cell is always provably safe."
    parts = (
        f"You play Minesweeper on {counted(config.rows, 'row')} and {counted(config.cols, 'column')} with "
        f"{counted(config.mines, 'hidden mine')}. You win when every cell without a mine is open, and lose when you "
        "open a mine. An open cell shows how many of its up to eight neighbours are mines. A 0 also opens them all.",
        _FIRST_CLICKS[config.first_click],
        logic if config.no_guess else "",
        f"Rows are 0 to {config.rows - 1} from the top, columns 0 to {config.cols - 1} from the left. {forms[style]}",
        f"{reply} An illegal reply changes nothing{limit}.",
    )
    return "\n".join(filter(None, parts))


class TextGame:
    """A game of Minesweeper in text.

    `reset` and `step` return what those of a Gymnasium environment return, with text as the observation and as the
    action. An illegal reply changes nothing, and the next text begins with what is wrong.
    docs/how-to/language-models.md explains the rewards.
    """

    def __init__(
        self,
        size: int | Sequence[int] = 8,
        mines: int | None = None,
        first_click: str = "opening",
        no_guess: NoGuess = False,
        *,
        style: str = "grid",
        reward: str | Mapping[str, float] = "win",
        max_illegal: int | None = 5,
    ) -> None:
        """Checks the arguments; `reset` starts a game.

        Args:
            size: side of a square board, or (rows, cols).
            mines: the number of mines; None follows the size, as in `MinesweeperEnv`.
            first_click: "opening", "safe" or "any".
            no_guess: "subset" or "exact" for boards that logic of this level wins.
            style: one of `STYLES`.
            reward: one of `REWARDS`, or weights by name, such as {"win": 1, "sound": 0.1}.
            max_illegal: the number of illegal replies that truncates the game; None for no limit.

        Raises:
            ValueError: the value of an argument is not allowed; the message lists the allowed ones.
        """
        one_of("style", style, STYLES)
        self.weights = {reward: 1.0} if isinstance(reward, str) else dict(reward)
        if not self.weights or not set(self.weights) <= set(REWARDS):
            raise ValueError(
                f"reward must be one of {', '.join(REWARDS)}, or a dict of weights by name, not {reward!r}"
            )
        self.env = MinesweeperEnv(size, mines, first_click, ("click",), "progress", no_guess=no_guess)
        self.config, self.style = self.env.config, style
        # Under other rules for the first click the layouts that fit a board are not equally likely.
        one_of("first_click", first_click, UNIFORM_FIRST_CLICKS)
        self.max_illegal = None if max_illegal is None else whole_number("max_illegal", max_illegal, 1)
        self.illegal, self.over = 0, True

    def prompt(self, tools: bool = False) -> str:
        """Returns the rules and the form of a reply; with `tools` the reply is a call of the tool `open`."""
        return rules_text(self.config, self.style, self.max_illegal, tools)

    def observation(self) -> str:
        """Returns the board as text."""
        return board_text(self.codes, self.config.mines, self.style)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Starts a game as `MinesweeperEnv.reset` does; returns the board as text, and an empty info."""
        self.codes, _ = self.env.reset(seed=seed, options=options)
        self.illegal, self.over = 0, False
        return self.observation(), {}

    def step(self, reply: str | None) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Makes the move of a reply.

        Returns:
            The event and the board as text; the reward; whether the game is won or lost; whether illegal replies ended
            it; and the info: `illegal`, `error`, `cell`, `is_success`, `rewards` by name, and of a click `risk`,
            `excess_risk` and `sound`.

        Raises:
            gymnasium.error.ResetNeeded: no game is in progress.
        """
        if self.over:
            raise ResetNeeded("no game is in progress: call reset() first")
        move = parse_reply(reply, self.codes)
        if move.action is None:
            return self._refuse(move)
        judged = judge_clicks(self.codes[None], self.config.mines, [move.action])
        risk, least, sound = (value.item() for value in judged)
        self.codes, progress, self.over, _, found = self.env.step(move.action)
        won = found["is_success"]
        rewards = {"win": float(won), "progress": progress, "risk": least - risk, "sound": float(sound)}
        info = self._info(move, rewards, won) | {"risk": risk, "excess_risk": risk - least, "sound": sound}
        ending = " You won." if won else " It was a mine: you lost." if self.over else ""
        text = f"You opened {move.cell}.{ending}\n\n{self.observation()}"
        return text, self._reward(rewards), self.over, False, info

    def _refuse(self, move: Reply) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Counts an illegal reply, and returns what `step` returns for it."""
        self.illegal += 1
        self.over = self.illegal == self.max_illegal
        ending = "\nThe game ends: too many illegal replies." if self.over else ""
        rewards = {"risk": -1.0}
        text = f"{move.error}{ending}\n\n{self.observation()}"
        return text, self._reward(rewards), False, self.over, self._info(move, rewards)

    def _reward(self, rewards: dict[str, float]) -> float:
        return sum(weight * rewards.get(name, 0.0) for name, weight in self.weights.items())

    def _info(self, move: Reply, rewards: dict[str, float], won: bool = False) -> dict[str, Any]:
        facts = {"illegal": bool(move.error), "error": move.error, "cell": move.cell}
        return facts | {"is_success": won, "rewards": rewards}
