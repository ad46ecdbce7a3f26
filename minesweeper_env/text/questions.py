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
"""What an error of 1 in a probability costs: with an error of 0.1 or more the score is 0."""

_EXACT_INTEGERS = 1 << 50
"""Up to this number of layouts a probability tells in how many of them a cell is a mine."""

_LIST = "Answer <answer>ROW COL, ROW COL</answer>, with all of them."
_FRACTION = re.compile(r"\\[dtc]?frac\s*+(?:\{\s*+([0-9.]++)\s*+\}|([0-9]))\s*+(?:\{\s*+([0-9.]++)\s*+\}|([0-9]))")
_DECIMAL_COMMA = re.compile(r"(?<![0-9.,])([0-9]{1,2}+),(?=[0-9]++(?![0-9,]))")
_NUMBER = re.compile(
    r"(?P<number>-?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:e-?[0-9]{1,2}+)?)\s*+"
    r"(?:(?P<per_cent>\\?%|per\s?cent|por\s?ciento)"
    r"|(?:/|(?:out\s++of|of|in|de)\s(?:(?:the|las|los)\s)?+)\s*+(?P<divisor>[0-9]++(?:\.[0-9]++)?))?"
)
_RISK = re.compile(
    r"(?:[\s,;:(=~≈$-]|(?:with|at|an?|the|p|risk|mine|probability|chance|is|of|about|only)(?![a-z])){1,30}+"
    r"(?:0?\.[0-9]++|[0-9]++(?:\.[0-9]++)?\s*+\\?%|[0-9]++/[0-9]++)[\s).$]*+(?:(?:risk|chance|probability)\W*+)?\Z"
)
"""The risk that may stand behind a guessed cell."""
_NO_OF = (
    "layouts?|arrangements?|configurations?|assignments?|placements?|combinations?|boards?|solutions?|such|valid"
    "|possible|consistent|because|since|it|there|way(?=[ \t]++to)|hay|existe|mine(?=[ \t]++(?:layout|arrang|place))"
)
_YES_NO = re.compile(rf"\b(?:yes|sí|no(?![ \t]++(?!(?:{_NO_OF})\b)[^\W\d_]))\b|\A\W*+si\W*+\Z")
"""A yes or a no, but not the "no" of "no idea", which refuses, or of "no contradiction", which means yes."""
_VERDICTS = {"possible": "yes", "true": "yes", "impossible": "no", "not possible": "no", "none": "no", "false": "no"}
"""Whole answers that say neither yes nor no, and mean one of them."""

Facts = Mapping[str, Any]
"""The part of a task that follows from its board, with values of JSON."""


class Position:
    """A position of a game, and what follows from it; each is computed when it is asked for."""

    def __init__(self, codes: NDArray[np.int8], mines: int) -> None:
        """Takes (rows, cols) cell codes without flags, and the number of mines on the board."""
        self.codes, self.mines = codes, mines

    @cached_property
    def risks(self) -> NDArray[np.float64]:
        """The mine probability of each cell, (rows, cols); a PositionTooHardError says that it is unknown."""
        return inference.mine_probabilities(self.codes, self.mines)

    @cached_property
    def least(self) -> NDArray[np.int64]:
        """The covered cells of least risk, row * cols + col."""
        risks = np.where(self.codes == HIDDEN, self.risks, np.inf)
        return np.flatnonzero(risks < risks.min() + TIE)

    @cached_property
    def by_single_numbers(self) -> NDArray[np.int8]:
        """UNKNOWN, SAFE, MINE or OPEN for each cell, (rows, cols), by one number at a time; see `known_cells`."""
        return known_cells(self.codes[None], self.mines, 1, SINGLE)[0]

    @cached_property
    def by_several_numbers(self) -> NDArray[np.int8]:
        """UNKNOWN, SAFE, MINE or OPEN for each cell, (rows, cols), by all numbers and the number of mines."""
        return known_cells(self.codes[None], self.mines, 1, WITH_TOTAL, find_all=True)[0]

    def level(self, wanted: NDArray[np.bool_], kind: int, number: int) -> tuple[str, NDArray[np.bool_]]:
        """Returns the easiest level that finds `number` of the wanted cells, and the cells that it finds.

        Cells are (rows, cols) bool; all wanted ones are of one kind, SAFE or MINE.
        """
        found = wanted & (self.by_single_numbers == kind)
        if found.sum() >= number:
            return "single", found
        found = wanted & (self.by_several_numbers == kind)
        return ("subset", found) if found.sum() >= number else ("exact", wanted)


class Question(ABC):
    """A kind of question."""

    text: str
    levels: tuple[str, ...]

    @abstractmethod
    def pose(self, position: Position, rng: Random) -> dict[str, Any] | None:
        """Returns the facts of a question about a position, with its "level"; None if it has no such question.

        The fact "board" replaces the board of the position.
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

    _number = 0
    """The number of cells that an answer needs; 0 for all."""

    def __init__(self, word: str, risk: float, kind: int) -> None:
        """Asks for the cells of a risk, 0.0 or 1.0; `kind` is its mark in `known_cells`, and `word` its name."""
        self.text = f"Which covered cells are certainly {word}? {_LIST}"
        self._risk, self._kind = risk, kind

    def pose(self, position: Position, rng: Random) -> dict[str, Any] | None:  # noqa: ARG002
        wanted = (position.codes == HIDDEN) & (position.risks == self._risk)
        if not wanted.any():
            return None
        level, found = position.level(wanted, self._kind, self._number or int(wanted.sum()))
        # The cells that the level finds come first, so that an answer of one cell, and its proof, need no higher level.
        return {"level": level, "cells": [*np.argwhere(found).tolist(), *np.argwhere(wanted & ~found).tolist()]}

    def answer(self, facts: Facts) -> str:
        return ", ".join(f"{row} {col}" for row, col in facts["cells"][: self._number or None])

    def score(self, body: str, facts: Facts) -> float:
        said = set(read_cells(body))
        right = {*map(tuple, facts["cells"])}
        return max(0.0, (len(said & right) - len(said - right)) / len(right))

    def reasons(self, board: NDArray[np.int8], facts: Facts) -> list[str]:
        return [step.explain() for step in inference.deduce(board, facts["mines"], level=_DEDUCED[facts["level"]])]


class _SafeCell(_CertainCells):
    """One cell that is certainly safe."""

    _number = 1

    def __init__(self) -> None:
        super().__init__("safe", 0.0, SAFE)
        self.text = "Name one covered cell that is certainly safe: <answer>ROW COL</answer>."

    def score(self, body: str, facts: Facts) -> float:
        return float(_cell(body) in facts["cells"])

    def reasons(self, board: NDArray[np.int8], facts: Facts) -> list[str]:
        return [step.explain() for step in inference.hint(board, facts["mines"], cell=facts["cells"][0])]


class _BestGuess(Question):
    """A cell of least risk where no cell is certainly safe."""

    text = "No covered cell is certainly safe. Name one with the least probability of a mine: <answer>ROW COL</answer>."
    levels = ("guess",)

    def pose(self, position: Position, rng: Random) -> dict[str, Any] | None:  # noqa: ARG002
        if (position.by_single_numbers == SAFE).any():
            return None
        row, col = divmod(int(position.least[0]), position.codes.shape[1])
        if position.risks[row, col] == 0.0:
            return None
        return {"level": "guess", "cell": [row, col], "risks": position.risks.tolist()}

    def answer(self, facts: Facts) -> str:
        return "{} {}".format(*facts["cell"])

    def score(self, body: str, facts: Facts) -> float:
        cell, board, (row, col) = _cell(_RISK.sub("", body)), facts["board"], facts["cell"]
        if cell is None or not (0 <= cell[0] < len(board) and 0 <= cell[1] < len(board[0])):
            return 0.0
        if board[cell[0]][cell[1]] != HIDDEN:
            return 0.0
        excess = facts["risks"][cell[0]][cell[1]] - facts["risks"][row][col]
        return 1.0 if excess <= TIE else max(0.0, 1.0 - _SLOPE * excess)

    def reasons(self, board: NDArray[np.int8], facts: Facts) -> list[str]:
        row, col = facts["cell"]
        return [_share(board, facts, facts["risks"][row][col]), "No other covered cell is a mine in fewer of them."]


class _Probability(Question):
    """The mine probability of a cell that is neither certainly safe nor certainly a mine."""

    text = (
        "All layouts of the mines that fit the board are equally likely. What is the probability that cell {cell} is a "
        "mine? Answer with a number from 0 to 1: <answer>NUMBER</answer>."
    )
    levels = ("exact",)

    def pose(self, position: Position, rng: Random) -> dict[str, Any] | None:
        unsure = np.flatnonzero((position.risks > 0.0) & (position.risks < 1.0))
        if not unsure.size:
            return None
        row, col = divmod(int(choice(rng, unsure)), position.codes.shape[1])
        return {"level": "exact", "cell": [row, col], "probability": float(position.risks[row, col])}

    def answer(self, facts: Facts) -> str:
        return f"{facts['probability']:.4f}"

    def score(self, body: str, facts: Facts) -> float:
        """Returns 1 - 10 times the error; the answer may be a decimal number, a fraction or a percentage."""
        row, col = facts["cell"]
        # The cell of the question may follow its answer.
        body = re.sub(rf"\(\s*+{row}\s*+,\s*+{col}\s*+\)", "", body)
        found = deque(_NUMBER.finditer(_DECIMAL_COMMA.sub(r"\1.", _FRACTION.sub(r"\1\2/\3\4", body))), 1)
        if not found:
            return 0.0
        number, divisor = float(found[0]["number"]), float(found[0]["divisor"] or 1)
        value = number / (100.0 if found[0]["per_cent"] else divisor or np.inf)
        error = abs(value - facts["probability"])
        # The answer with four decimals is right. NaN, the quotient of two endless numbers, is not.
        return 1.0 if error <= 1e-4 else max(0.0, 1.0 - _SLOPE * error)

    def reasons(self, board: NDArray[np.int8], facts: Facts) -> list[str]:
        return [_share(board, facts, facts["probability"])]


class _Possible(Question):
    """Whether any layout fits a board of which one number was changed by 1."""

    text = "Is there a layout of the mines that fits the board? <answer>yes</answer> or <answer>no</answer>."
    levels = ("exact",)

    def pose(self, position: Position, rng: Random) -> dict[str, Any] | None:
        """Changes one number, so that with chance 1/2 no layout fits."""
        codes, wanted = position.codes, rng.random() < 0.5
        neighbours = neighbour_table(codes.shape[0], codes.shape[1], 1)
        covered = np.append(codes.ravel() == HIDDEN, False)[neighbours].sum(axis=1)
        numbers = np.flatnonzero((codes.ravel() < FLAGGED) & (covered > 0))
        for _ in range(len(numbers)):
            cell, changed = int(choice(rng, numbers)), codes.copy()
            changed.flat[cell] += 2 * (rng.random() < 0.5) - 1
            # A number that its covered neighbours cannot meet would be found at a glance.
            misfit = _misfit(changed, position.mines) if 0 <= changed.flat[cell] <= covered[cell] else None
            if misfit is not None and (misfit == "") == wanted:
                return {"level": "exact", "possible": wanted, "board": changed.tolist()}
        return None

    def answer(self, facts: Facts) -> str:
        return "yes" if facts["possible"] else "no"

    def score(self, body: str, facts: Facts) -> float:
        words = _YES_NO.findall(_VERDICTS.get(body.strip(" .*\n"), body))
        said = {"no" if word == "no" else "yes" for word in words}
        return float(said == {self.answer(facts)})

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
    """Returns one of some items; other versions of Python draw the same one, which `Random.choice` does not promise."""
    return items[int(rng.random() * len(items))]


def _cell(body: str) -> list[int] | None:
    move = read_move(f"<answer>{body}</answer>")
    return None if move is None or move.verb != "open" else [move.row, move.col]


def _misfit(board: NDArray[np.int8], mines: int) -> str | None:
    """Returns why no layout fits a board; "" if one does, and None for a board that is too hard for the oracle."""
    try:
        inference.mine_probabilities(board, mines)
    except inference.InconsistentBoardError as error:
        return f"{error.reason}, and cell {error.cell} is at fault"
    except inference.PositionTooHardError:
        return None
    return ""


def _share(board: NDArray[np.int8], facts: Facts, risk: float) -> str:
    """Returns a sentence with the number of layouts in which the cell of a question is a mine."""
    layouts = inference.count_layouts(board, facts["mines"])
    share = f"{round(risk * layouts)} of the {layouts} layouts that fit"
    return f"Cell {tuple(facts['cell'])} is a mine in {share if layouts < _EXACT_INTEGERS else f'{risk:.4f} of all'}."
