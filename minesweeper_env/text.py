"""Minesweeper as text, for language models: the board in words, the moves of replies, and the exact risk of clicks.

`TextGame` plays a game of `MinesweeperEnv`; no rule is added. docs/how-to/language-models.md shows its use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig, counted, whole_number
from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.inference.oracle import Oracle

__all__ = [
    "MAX_ILLEGAL",
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
"""The rewards; `TextGame` explains them."""

MAX_ILLEGAL = 5
"""The usual number of illegal replies that end a game."""

_TIE = 1e-9
"""Probabilities that differ by less are equal."""

_SYMBOLS = {**{clue: str(clue) for clue in range(9)}, FLAGGED: "F", QUESTION: "#", HIDDEN: "#", MINE: "*"}

_FIRST_CLICKS = {
    "opening": "The first cell that you open is a 0.",
    "safe": "The first cell that you open is no mine.",
    "any": "The first cell that you open may be a mine.",
    "corners": "Mines around the first cell that you open move to the corners.",
}

# Every repetition is possessive or bounded, so that a reply is read in linear time.
_VERB = r"(?<![a-z])(?P<verb>open|reveal|click|flag)"
_MARKS = r"(?:\s++|[:=,;(\[{}<>\"'`*\\]|row|column|col|r|c|and|at|the|cell|arguments|args|parameters|input)"
_PAIR = rf"(?P<gap>{_MARKS}{{1,24}}+)(?P<first>-?[0-9]++){_MARKS}{{1,16}}+(?P<second>-?[0-9]++)(?!\.[0-9])"
_MOVES = (
    re.compile(_VERB + _PAIR, re.IGNORECASE),
    # A tool call may state its arguments before its name.
    re.compile(rf"[\"']{_PAIR}[\s}}\"'\\]{{1,16}}+,\s*+[\"']name[\s:\"']{{1,16}}+{_VERB}", re.IGNORECASE),
)


class Reply(NamedTuple):
    """The move in a reply.

    Attributes:
        action: the action in the environment; None for an illegal reply.
        error: what is wrong with the reply, one sentence; "" for a legal one.
        cell: (row, column) that the reply names; None if it names none.
    """

    action: int | None
    error: str = ""
    cell: tuple[int, int] | None = None


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

    @property
    def excess(self) -> NDArray[np.float64]:
        """(N,) float64, the risk beyond the least on the board."""
        return self.risk - self.least


def judge_clicks(boards: ArrayLike, mines: int, clicks: ArrayLike, threads: int = 1) -> Judgement:
    """Judges one click on each of N boards by the exact mine probabilities of the board before it.

    Args:
        boards: (N, rows, cols) cell codes.
        mines: the number of mines of each board.
        clicks: (N,) whole numbers, row * cols + col of a covered cell.
        threads: number of threads that share the boards.

    Raises:
        ValueError: the shapes do not match, or a click is not on a covered cell.
        InconsistentBoardError: no layout fits a board.
    """
    codes, cells = np.asarray(boards, np.int8), np.asarray(clicks)
    if codes.ndim != 3 or cells.shape != codes.shape[:1] or cells.dtype.kind not in "iu":
        raise ValueError(
            "boards must have the shape (N, rows, cols), and clicks must be N whole numbers, not "
            f"{codes.shape} and {cells.dtype} {cells.shape}"
        )
    flat, each = codes.reshape(len(codes), codes[0].size if len(codes) else 0), np.arange(len(codes))
    if ((cells < 0) | (cells >= flat.shape[1])).any() or (flat[each, cells] < FLAGGED).any():
        raise ValueError("a click must be row * cols + col of a covered cell")
    config = BoardConfig(codes.shape[1], codes.shape[2], mines, first_click="any")
    probabilities = Oracle(config, threads).ask(codes).probabilities.reshape(flat.shape)
    risk = probabilities[each, cells]
    least = np.where(flat >= FLAGGED, probabilities, np.inf).min(axis=1, initial=np.inf)
    return Judgement(risk, least, np.where(least > 0.0, risk - least < _TIE, risk == 0.0))


def board_text(codes: NDArray[np.int8], mines: int, style: str = "grid") -> str:
    """Returns a board of (rows, cols) cell codes as text in one of `STYLES`."""
    covered, flags = int(((codes == HIDDEN) | (codes == QUESTION)).sum()), int((codes == FLAGGED).sum())
    cells = [[_SYMBOLS[code] for code in row] for row in codes.tolist()]
    if style == "json":
        rows = ",\n".join("  [" + ", ".join(f'"{cell}"' for cell in row) + "]" for row in cells)
        return f'{{"mines": {mines}, "covered": {covered}, "flags": {flags}, "board": [\n{rows}\n]}}'
    body = _grid(cells) if style == "grid" else _lists(cells)
    return f"{body}\n{counted(mines, 'mine')}, {counted(covered, 'covered cell')}, {counted(flags, 'flag')}"


def _grid(cells: Sequence[Sequence[str]]) -> str:
    side, width = len(str(len(cells) - 1)), len(str(len(cells[0]) - 1))
    lines = [f"{'':{side}}  " + " ".join(f"{col:>{width}}" for col in range(len(cells[0])))]
    lines += [f"{row:>{side}}: " + " ".join(f"{cell:>{width}}" for cell in line) for row, line in enumerate(cells)]
    return "\n".join(lines)


def _lists(cells: Sequence[Sequence[str]]) -> str:
    found: dict[str, list[str]] = {"open": [], "flagged": [], "mines": []}
    for row, line in enumerate(cells):
        for col, cell in enumerate(line):
            if cell.isdigit():
                found["open"].append(f"({row}, {col}) = {cell}")
            elif cell != "#":
                found["flagged" if cell == "F" else "mines"].append(f"({row}, {col})")
    texts = [f"{name}: {', '.join(each) or 'none'}" for name, each in found.items() if each or name == "open"]
    return "\n".join([*texts, "all other cells are covered"])


def rules_text(
    config: BoardConfig, style: str = "grid", max_illegal: int | None = MAX_ILLEGAL, tools: bool = False
) -> str:
    """Returns the prompt: the rules of the games, the form of the board, and the form of a reply.

    With `tools` the reply is a call of the tool `open`; otherwise it is free text with one move.
    """
    forms = {
        "grid": "On the board, # is a covered cell, a digit is an open cell, F is a flag and * a mine.",
        "list": "The board is a list of the open cells with their numbers, as (row, column) = number.",
        "json": 'The board is JSON by rows: "#" is a covered cell, a digit is an open cell, "F" a flag, "*" a mine.',
    }
    verbs = ["open", "flag"] if "flag" in config.moves else ["open"]
    if tools:
        reply = f"Make one move at a time: call the tool {' or '.join(verbs)} with row and col."
    else:
        texts = " or ".join(f"<move>{verb} ROW COL</move>" for verb in verbs)
        reply = f"Reply with one move: {texts}. You may think first; the last move of a reply counts."
    limit = "" if max_illegal is None else f"; illegal reply number {max_illegal} ends the game"
    parts = (
        f"You play Minesweeper on {counted(config.rows, 'row')} and {counted(config.cols, 'column')} with "
        f"{counted(config.mines, 'hidden mine')}. You win when every cell without a mine is open, and lose when you "
        "open a mine. An open cell shows how many of its up to eight neighbours are mines. A 0 also opens them all.",
        _FIRST_CLICKS[config.first_click],
        "No guess is needed: after the first move some covered cell is always provably safe."
        if config.no_guess
        else "",
        "A flag is a note of yours: a flagged cell cannot be opened, and a second flag removes it."
        if len(verbs) > 1
        else "",
        f"Rows are 0 to {config.rows - 1} from the top, columns 0 to {config.cols - 1} from the left. {forms[style]}",
        f"{reply} An illegal reply changes nothing{limit}.",
    )
    return "\n".join(part for part in parts if part)


def parse_reply(reply: str | None, codes: NDArray[np.int8], flags: bool = False) -> Reply:
    """Returns the last move in a reply, which may be any text; never raises.

    A move is written as `<move>open 3 4</move>`, `[reveal 3 4]`, `open (3, 4)`, `open row 3, column 4` or the JSON of a
    tool call. Text up to `</think>`, and after a `<think>` without an end, does not count.

    Args:
        reply: the text of a model; None for an empty one.
        codes: (rows, cols) cell codes of the board before the move.
        flags: whether the game has the move flag.
    """
    text = (reply or "").rpartition("</think>")[2].partition("<think>")[0]
    last = max(chain(*(pattern.finditer(text) for pattern in _MOVES)), key=re.Match.end, default=None)
    rows, cols = codes.shape
    if last is None:
        if text != (reply or "") and not text.strip():
            return Reply(None, "The reply ends with its thinking: write a move after it.")
        return Reply(None, "The reply has no move: write <move>open ROW COL</move>.")
    # Numbers of many digits are outside of every board, and int() refuses them.
    row, col = (int(last[name][:9]) for name in ("first", "second"))
    if "col" in last["gap"].lower():
        row, col = col, row
    name = f"({row}, {col})"
    if not (0 <= row < rows and 0 <= col < cols):
        return Reply(
            None, f"{name} is outside the board: rows are 0 to {rows - 1}, columns 0 to {cols - 1}.", (row, col)
        )
    flag = last["verb"].lower() == "flag"
    if flag and not flags:
        return Reply(None, "This game has no flags: the only move is open.", (row, col))
    if codes[row, col] < FLAGGED:
        return Reply(None, f"Cell {name} is open already: choose a covered cell.", (row, col))
    if codes[row, col] == FLAGGED and not flag:
        return Reply(None, f"Cell {name} has a flag: remove the flag first, or choose another cell.", (row, col))
    return Reply(flag * rows * cols + row * cols + col, "", (row, col))


class TextGame:
    """A game of Minesweeper in text.

    `reset` and `step` return what those of a Gymnasium environment return, with text as the observation and as the
    action. An illegal reply changes nothing, and the next text begins with what is wrong.

    | reward | |
    |---|---|
    | "win" | 1 for the win, else 0 |
    | "progress" | the fraction of all safe cells that the move opens; -1 for a mine |
    | "risk" | minus the exact risk beyond the least on the board: 0 for a best click, -1 for an illegal reply |
    | "sound" | 1 for a click that logic proves safe or, where no cell is safe, of least risk; else 0 |

    "risk" and "sound" judge the click and not its luck. Flags earn nothing.
    """

    def __init__(
        self,
        size: int | Sequence[int] = 8,
        mines: int | None = None,
        first_click: str = "opening",
        no_guess: Literal[False, "subset", "exact"] = False,
        *,
        flags: bool = False,
        style: str = "grid",
        reward: str | Mapping[str, float] = "win",
        max_illegal: int | None = MAX_ILLEGAL,
    ) -> None:
        """Checks the arguments; `reset` starts a game.

        Args:
            size: side of a square board, or (rows, cols).
            mines: the number of mines; None follows the size, as in `MinesweeperEnv`.
            first_click: "opening", "safe", "any" or "corners".
            no_guess: "subset" or "exact" for boards that logic of this level wins.
            flags: True adds the move flag.
            style: one of `STYLES`.
            reward: one of `REWARDS`, or weights by name, such as {"win": 1, "sound": 0.1}.
            max_illegal: the number of illegal replies that truncates the game; None for no limit.

        Raises:
            ValueError: the value of an argument is not allowed; the message lists the allowed ones.
        """
        if style not in STYLES:
            raise ValueError(f"style must be one of {', '.join(STYLES)}, not {style!r}")
        self.weights = {reward: 1.0} if isinstance(reward, str) else dict(reward)
        if not self.weights or not set(self.weights) <= set(REWARDS):
            raise ValueError(
                f"reward must be one of {', '.join(REWARDS)}, or a dict of weights by name, not {reward!r}"
            )
        moves = ("click", "flag") if flags else ("click",)
        self.env = MinesweeperEnv(size, mines, first_click, moves, "progress", no_guess=no_guess)
        self.config, self.style = self.env.config, style
        if first_click not in UNIFORM_FIRST_CLICKS and {"risk", "sound"} & set(self.weights):
            raise ValueError(f"the rewards risk and sound need first_click {', '.join(UNIFORM_FIRST_CLICKS)}")
        self.max_illegal = None if max_illegal is None else whole_number("max_illegal", max_illegal, 1)
        self.illegal, self.over = 0, True

    def prompt(self, tools: bool = False) -> str:
        """Returns the rules and the form of a reply; with `tools` the reply is a call of the tool `open`."""
        return rules_text(self.config, self.style, self.max_illegal, tools)

    def observation(self) -> str:
        """Returns the board as text."""
        return board_text(self.codes, self.config.mines, self.style)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Starts a game as `MinesweeperEnv.reset` does; returns the board as text, and the info."""
        self.codes, info = self.env.reset(seed=seed, options=options)
        self.illegal, self.over = 0, False
        return self.observation(), self._info(Reply(None), info["is_success"], {})

    def parse(self, reply: str | None) -> Reply:
        """Returns the move in a reply to the present board; see `parse_reply`."""
        return parse_reply(reply, self.codes, "flag" in self.config.moves)

    def step(self, reply: str | None) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Makes the move of a reply.

        Returns:
            The event and the board as text; the reward; whether the game is won or lost; whether illegal replies or
            the step limit ended it; and the info: `illegal`, `error`, `cell`, `is_success`, `rewards` by name, and of
            a click `risk`, `excess_risk` and `sound`.

        Raises:
            gymnasium.error.ResetNeeded: no game is in progress.
        """
        if self.over:
            raise ResetNeeded("no game is in progress: call reset() first")
        move = self.parse(reply)
        if move.action is None:
            return self._refuse(move)
        judged = self._judge(move.action)
        self.codes, progress, terminated, truncated, found = self.env.step(move.action)
        self.over = terminated or truncated
        rewards = {"win": float(found["is_success"]), "progress": progress}
        info = self._info(move, found["is_success"], rewards)
        if judged is not None:
            rewards |= {"risk": 0.0 - judged.excess.item(), "sound": float(judged.sound.item())}
            info |= {"risk": judged.risk.item(), "excess_risk": judged.excess.item(), "sound": judged.sound.item()}
        event = self._event(move, terminated, truncated, found["is_success"])
        return self._said(event), self._reward(rewards), terminated, truncated, info

    def _refuse(self, move: Reply) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Counts an illegal reply, and returns what `step` returns for it."""
        self.illegal += 1
        self.over = self.illegal == self.max_illegal
        ending = "\nThe game ends: too many illegal replies." if self.over else ""
        rewards = {"risk": -1.0}
        return (
            self._said(move.error + ending),
            self._reward(rewards),
            False,
            self.over,
            self._info(move, False, rewards),
        )

    def _reward(self, rewards: dict[str, float]) -> float:
        return sum(weight * rewards.get(name, 0.0) for name, weight in self.weights.items())

    def _judge(self, action: int) -> Judgement | None:
        if self.config.first_click not in UNIFORM_FIRST_CLICKS or action >= self.config.cells:
            return None
        return judge_clicks(self.codes[None], self.config.mines, [action])

    def _event(self, move: Reply, terminated: bool, truncated: bool, won: bool) -> str:
        flag = move.action is not None and move.action >= self.config.cells
        event = f"You {'marked' if flag else 'opened'} {move.cell}."
        if terminated:
            return f"{event} You won." if won else f"{event} It was a mine: you lost."
        return f"{event} The game ends: too many moves." if truncated else event

    def _said(self, event: str) -> str:
        return f"{event}\n\n{self.observation()}"

    def _info(self, move: Reply, won: bool, rewards: dict[str, float]) -> dict[str, Any]:
        return {
            "illegal": bool(move.error),
            "error": move.error,
            "cell": move.cell,
            "is_success": won,
            "rewards": rewards,
        }
