"""Kinds of questions about a position: what each asks, the least reasoning that answers it, scores, and solutions."""

import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env import inference
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.codes import FLAGGED, HIDDEN
from minesweeper_env.inference.deduction.kernels import SINGLE, WITH_TOTAL, known_cells
from minesweeper_env.inference.deduction.steps import Level
from minesweeper_env.inference.kernels import TIE
from minesweeper_env.inference.reading import MINE, SAFE
from minesweeper_env.text.replies import read_cells, read_move

LEVELS: tuple[str, ...] = ("single", "subset", "exact", "guess")
"""The least reasoning that answers a question: one number at a time; several numbers and the number of mines; all
layouts that fit; or, where no cell is certainly safe, the probabilities of mines."""

_DEDUCED: dict[str, Level] = {"single": "count", "subset": "subset", "exact": "exact"}
"""The level of `deduce` for each level of a certain cell."""

_SLOPE = 10.0
"""The score that an error of 1 in a probability would cost; an error of 0.1 costs the whole score, 1."""

_EXACT_INTEGERS = 1 << 50
"""Below this number of layouts, a float64 probability says exactly in how many of them a cell is a mine."""

_LIST_FORM = "Answer <answer>ROW COL, ROW COL</answer>, with all of them."
_FRACTION = re.compile(r"\\[dtc]?frac\s*+(?:\{\s*+([0-9.]++)\s*+\}|([0-9]))\s*+(?:\{\s*+([0-9.]++)\s*+\}|([0-9]))")
_DECIMAL_COMMA = re.compile(r"(?<![0-9.,])([0-9]{1,2}+),(?=[0-9]++(?![0-9,]))")
_NUMBER = re.compile(
    r"(?P<number>-?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:e-?[0-9]{1,2}+)?)\s*+"
    r"(?:(?P<per_cent>\\?%|per\s?cent|por\s?ciento)"
    r"|(?:/|(?:out\s++of|of|in|de)\s(?:(?:the|las|los)\s)?+)\s*+(?P<divisor>[0-9]++(?:\.[0-9]++)?))?"
)
_RISK_BEHIND = re.compile(
    r"(?:[\s,;:(=~≈$-]|(?:with|at|an?|the|p|risk|mine|probability|chance|is|of|about|only)(?![a-z])){1,30}+"
    r"(?:0?\.[0-9]++|[0-9]++(?:\.[0-9]++)?\s*+\\?%|[0-9]++/[0-9]++)[\s).$]*+(?:(?:risk|chance|probability)\W*+)?\Z"
)
"""A risk that the answer may state behind a guessed cell."""
_WORDS_AFTER_NO = (
    "layouts?|arrangements?|configurations?|assignments?|placements?|combinations?|boards?|solutions?|such|valid"
    "|possible|consistent|because|since|it|there|way(?=[ \t]++to)|hay|existe|mine(?=[ \t]++(?:layout|arrang|place))"
)
_YES_NO = re.compile(rf"\b(?:yes|sí|no(?![ \t]++(?!(?:{_WORDS_AFTER_NO})\b)[^\W\d_]))\b|\A\W*+si\W*+\Z")
"""A yes or a no, but not the "no" of "no idea", which refuses, or of "no contradiction", which means yes."""
_VERDICTS = {"possible": "yes", "true": "yes", "impossible": "no", "not possible": "no", "none": "no", "false": "no"}
"""Whole answers that say neither yes nor no, and mean one of them."""

Facts = Mapping[str, Any]
"""The metadata of a task, with values of JSON: its "board" and "mines", and what `pose` adds to them."""


class Position:
    """A position of a game, and what follows from it; each property is computed at its first use."""

    def __init__(self, codes: NDArray[np.int8], mines: int) -> None:
        """Takes (rows, cols) cell codes without flags, and the number of mines on the board."""
        self.codes, self.mines = codes, mines

    @cached_property
    def risks(self) -> NDArray[np.float64]:
        """The mine probability of each cell, (rows, cols); a PositionTooHardError says that it is unknown."""
        return inference.mine_probabilities(self.codes, self.mines)

    @cached_property
    def least_risky(self) -> NDArray[np.int64]:
        """The covered cells of least risk, (k,), each row * cols + col."""
        risks = np.where(self.codes == HIDDEN, self.risks, np.inf)
        return np.flatnonzero(risks < risks.min() + TIE)

    @cached_property
    def by_single_numbers(self) -> NDArray[np.int8]:
        """UNKNOWN, SAFE, MINE or OPEN for each cell, (rows, cols) int8, by one number at a time."""
        return known_cells(self.codes[None], self.mines, radius=1, level=SINGLE)[0]

    @cached_property
    def by_several_numbers(self) -> NDArray[np.int8]:
        """UNKNOWN, SAFE, MINE or OPEN for each cell, (rows, cols) int8, by all numbers and the number of mines."""
        return known_cells(self.codes[None], self.mines, radius=1, level=WITH_TOTAL, find_all=True)[0]

    def level(self, wanted: NDArray[np.bool_], kind: int, needed: int) -> tuple[str, NDArray[np.bool_]]:
        """Returns the easiest level that proves `needed` of `wanted`, (rows, cols), to be `kind`; and those cells."""
        proved = wanted & (self.by_single_numbers == kind)
        if proved.sum() >= needed:
            return "single", proved
        proved = wanted & (self.by_several_numbers == kind)
        return ("subset", proved) if proved.sum() >= needed else ("exact", wanted)


class Question(ABC):
    """A kind of question."""

    text: str
    levels: tuple[str, ...]

    @abstractmethod
    def pose(self, position: Position, rng: Random) -> dict[str, Any] | None:
        """Returns the facts of a question about a position, or None if this kind of question does not suit it.

        The facts include the "level". A "board" among them replaces the board of the position.
        """

    @abstractmethod
    def answer(self, facts: Facts) -> str:
        """Returns a right answer."""

    @abstractmethod
    def score(self, body: str, facts: Facts) -> float:
        """Returns the score of an answer in lower case and plain digits, as `score_answer` explains; never raises."""

    @abstractmethod
    def reasons(self, board: NDArray[np.int8], facts: Facts) -> list[str]:
        """Returns the sentences that prove the answer."""


class _CertainCells(Question):
    """All cells that are certainly safe, or certainly mines."""

    levels = LEVELS[:3]

    _cells_needed = 0
    """The number of cells that an answer needs; 0 for all."""

    def __init__(self, word: str, risk: float, kind: int) -> None:
        """Asks for the cells that are certainly `word`: their risk is 0.0 or 1.0, and their `kind` is SAFE or MINE."""
        self.text = f"Which covered cells are certainly {word}? {_LIST_FORM}"
        self._risk, self._kind = risk, kind

    def pose(self, position: Position, rng: Random) -> dict[str, Any] | None:  # noqa: ARG002
        certain = (position.codes == HIDDEN) & (position.risks == self._risk)
        if not certain.any():
            return None
        level, proved = position.level(certain, self._kind, self._cells_needed or int(certain.sum()))
        # The cells that the level finds come first, so that an answer of one cell, and its proof, need no higher level.
        return {"level": level, "cells": [*np.argwhere(proved).tolist(), *np.argwhere(certain & ~proved).tolist()]}

    def answer(self, facts: Facts) -> str:
        return ", ".join(f"{row} {col}" for row, col in facts["cells"][: self._cells_needed or None])

    def score(self, body: str, facts: Facts) -> float:
        named = set(read_cells(body))
        correct = {*map(tuple, facts["cells"])}
        return max(0.0, (len(named & correct) - len(named - correct)) / len(correct))

    def reasons(self, board: NDArray[np.int8], facts: Facts) -> list[str]:
        return [step.explain() for step in inference.deduce(board, facts["mines"], level=_DEDUCED[facts["level"]])]


class _SafeCell(_CertainCells):
    """One cell that is certainly safe."""

    _cells_needed = 1

    def __init__(self) -> None:
        super().__init__("safe", 0.0, SAFE)
        self.text = "Name one covered cell that is certainly safe: <answer>ROW COL</answer>."

    def score(self, body: str, facts: Facts) -> float:
        return float(_answered_cell(body) in facts["cells"])

    def reasons(self, board: NDArray[np.int8], facts: Facts) -> list[str]:
        return [step.explain() for step in inference.hint(board, facts["mines"], cell=facts["cells"][0])]


class _BestGuess(Question):
    """A cell of least risk where no cell is certainly safe."""

    text = "No covered cell is certainly safe. Name one with the least probability of a mine: <answer>ROW COL</answer>."
    levels = ("guess",)

    def pose(self, position: Position, rng: Random) -> dict[str, Any] | None:  # noqa: ARG002
        if (position.by_single_numbers == SAFE).any():
            return None
        row, col = divmod(int(position.least_risky[0]), position.codes.shape[1])
        if position.risks[row, col] == 0.0:
            return None
        return {"level": "guess", "cell": [row, col], "risks": position.risks.tolist()}

    def answer(self, facts: Facts) -> str:
        return "{} {}".format(*facts["cell"])

    def score(self, body: str, facts: Facts) -> float:
        guess, board, risks = _answered_cell(_RISK_BEHIND.sub("", body)), facts["board"], facts["risks"]
        if guess is None or not (0 <= guess[0] < len(board) and 0 <= guess[1] < len(board[0])):
            return 0.0
        (row, col), (best_row, best_col) = guess, facts["cell"]
        if board[row][col] != HIDDEN:
            return 0.0
        excess = risks[row][col] - risks[best_row][best_col]
        return 1.0 if excess <= TIE else max(0.0, 1.0 - _SLOPE * excess)

    def reasons(self, board: NDArray[np.int8], facts: Facts) -> list[str]:
        row, col = facts["cell"]
        return [_odds_text(board, facts, facts["risks"][row][col]), "No other covered cell is a mine in fewer of them."]


class _Probability(Question):
    """The mine probability of a cell that is neither certainly safe nor certainly a mine."""

    text = (
        "All layouts of the mines that fit the board are equally likely. What is the probability that cell {cell} is a "
        "mine? Answer with a number from 0 to 1: <answer>NUMBER</answer>."
    )
    levels = ("exact",)

    def pose(self, position: Position, rng: Random) -> dict[str, Any] | None:
        uncertain = np.flatnonzero((position.risks > 0.0) & (position.risks < 1.0))
        if not uncertain.size:
            return None
        row, col = divmod(int(choice(rng, uncertain)), position.codes.shape[1])
        return {"level": "exact", "cell": [row, col], "probability": float(position.risks[row, col])}

    def answer(self, facts: Facts) -> str:
        return f"{facts['probability']:.4f}"

    def score(self, body: str, facts: Facts) -> float:
        """Returns 1 - 10 times the error; the answer may be a decimal number, a fraction or a percentage."""
        row, col = facts["cell"]
        # The answer may repeat the cell of the question, whose numbers are no probability.
        body = re.sub(rf"\(\s*+{row}\s*+,\s*+{col}\s*+\)", "", body)
        body = _FRACTION.sub(r"\1\2/\3\4", body)  # \frac{1}{3} becomes 1/3
        numbers = deque(_NUMBER.finditer(_DECIMAL_COMMA.sub(r"\1.", body)), maxlen=1)  # the last one
        if not numbers:
            return 0.0
        last = numbers[0]
        number, divisor = float(last["number"]), float(last["divisor"] or 1)
        value = number / (100.0 if last["per_cent"] else divisor or np.inf)
        error = abs(value - facts["probability"])
        # An answer with four decimals is right. NaN, infinity over infinity, is not; a number over 0 counts as 0.
        return 1.0 if error <= 1e-4 else max(0.0, 1.0 - _SLOPE * error)

    def reasons(self, board: NDArray[np.int8], facts: Facts) -> list[str]:
        return [_odds_text(board, facts, facts["probability"])]


class _Possible(Question):
    """Whether any layout fits a board of which one number was changed by 1."""

    text = "Is there a layout of the mines that fits the board? <answer>yes</answer> or <answer>no</answer>."
    levels = ("exact",)

    def pose(self, position: Position, rng: Random) -> dict[str, Any] | None:
        """Changes one number by 1; a layout fits the new board with probability 1/2."""
        codes, should_fit = position.codes, rng.random() < 0.5
        neighbours = neighbour_table(codes.shape[0], codes.shape[1], 1)
        # The table gives neighbours off the board the index of the False behind the last cell.
        covered_neighbours = np.append(codes.ravel() == HIDDEN, False)[neighbours].sum(axis=1)
        clue_cells = np.flatnonzero((codes.ravel() < FLAGGED) & (covered_neighbours > 0))
        for _ in range(len(clue_cells)):
            cell, changed = int(choice(rng, clue_cells)), codes.copy()
            changed.flat[cell] += 2 * (rng.random() < 0.5) - 1  # by +1 or -1
            # A number above the number of its covered neighbours would give the answer away.
            misfit = _misfit(changed, position.mines) if 0 <= changed.flat[cell] <= covered_neighbours[cell] else None
            if misfit is not None and (misfit == "") == should_fit:
                return {"level": "exact", "possible": should_fit, "board": changed.tolist()}
        return None

    def answer(self, facts: Facts) -> str:
        return "yes" if facts["possible"] else "no"

    def score(self, body: str, facts: Facts) -> float:
        words = _YES_NO.findall(_VERDICTS.get(body.strip(" .*\n"), body))
        answers = {"no" if word == "no" else "yes" for word in words}
        return float(answers == {self.answer(facts)})

    def reasons(self, board: NDArray[np.int8], facts: Facts) -> list[str]:
        if not facts["possible"]:
            return [f"No layout fits: {_misfit(board, facts['mines'])}."]
        layout = inference.sample_layouts(board, facts["mines"], 1, np.random.default_rng(0))[0]
        return [f"This layout fits: mines at {', '.join(str(tuple(cell)) for cell in np.argwhere(layout).tolist())}."]


QUESTIONS: dict[str, Question] = {
    "safe_cell": _SafeCell(),
    "all_safe": _CertainCells("safe", 0.0, SAFE),
    "all_mines": _CertainCells("mines", 1.0, MINE),
    "best_guess": _BestGuess(),
    "probability": _Probability(),
    "possible": _Possible(),
}


def choice(rng: Random, items: Sequence[Any] | NDArray[Any]) -> Any:
    """Returns a random item, the same one in every version of Python, which `Random.choice` does not promise."""
    return items[int(rng.random() * len(items))]


def _answered_cell(body: str) -> list[int] | None:
    move = read_move(f"<answer>{body}</answer>")
    return None if move is None or move.verb != "open" else [move.row, move.col]


def _misfit(board: NDArray[np.int8], mines: int) -> str | None:
    """Returns why no layout fits a board; "" if a layout fits, and None if the board is too hard for the oracle."""
    try:
        inference.mine_probabilities(board, mines)
    except inference.InconsistentBoardError as error:
        return f"{error.reason}, and cell {error.cell} is at fault"
    except inference.PositionTooHardError:
        return None
    return ""


def _odds_text(board: NDArray[np.int8], facts: Facts, risk: float) -> str:
    """Returns a sentence: in how many of the layouts that fit the cell of the question is a mine."""
    layouts = inference.count_layouts(board, facts["mines"])
    share = f"{round(risk * layouts)} of the {layouts} layouts that fit"
    return f"Cell {tuple(facts['cell'])} is a mine in {share if layouts < _EXACT_INTEGERS else f'{risk:.4f} of all'}."
