"""`play.py --practice`: questions about positions, whose answers the oracle scores, and the proofs of what was missed.

The questions are those of `minesweeper_env.text_tasks`; columns and rows count from 1, as in the game.
"""

import secrets
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.process import BAD_ARGUMENTS
from minesweeper_env.codes import FLAGGED
from minesweeper_env.config import BoardConfig
from minesweeper_env.console import say
from minesweeper_env.inference import hint, mine_probabilities
from minesweeper_env.text_tasks import TextTasks
from minesweeper_play.coach.board_text import draw_codes
from minesweeper_play.explanations import explain_proof, name_cell
from minesweeper_play.game.moves import SYNONYMS, Cell, TextError, parse_cells
from minesweeper_play.line_mode import Console, LeaveError, play_until_left
from minesweeper_play.options import PlayOptions


def run(options: PlayOptions) -> int:
    """Asks until the player leaves; returns the exit status: 0, 130 after Ctrl-C, 2 for a board without questions."""
    board = options.config or BoardConfig.of_size(8)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    size, kind = (board.rows, board.cols), str(options.practice)
    try:
        tasks = TextTasks(kind, size=size, mines=board.mines, level=options.level, seed=seed, n=sys.maxsize)
        # The first task raises a ValueError if the board has no such positions.
        tasks[0]
    except ValueError as error:
        say(f"{options.program}: {error}")
        return BAD_ARGUMENTS
    console = Console(options)
    return play_until_left(console, Practice(tasks, console).play)


class Practice:
    """Asks one question after the other, and adds up the scores."""

    def __init__(self, tasks: TextTasks, console: Console) -> None:
        self._tasks, self._console = tasks, console

    def play(self) -> None:
        """Asks questions; raises a LeaveError when the player leaves."""
        total, format_number = 0.0, self._console.catalogue.number
        self._console.say("practice_manual")
        for count, task in enumerate(self._tasks, 1):
            self._show(task)
            cells = self._answer(task)
            answer = ", ".join(f"{row} {col}" for row, col in cells)
            score = self._tasks.score_answer(f"<answer>{answer}</answer>", task)
            total += score
            key = "practice_right" if score == 1.0 else "practice_wrong"
            self._console.say(key, score=format_number(score, 1), total=format_number(total, 1), count=count)
            if score < 1.0:
                self._show(task, with_risks=True)
                # One step can belong to the proofs of several cells.
                self._console.tell(*dict.fromkeys(self._explain(task, cells)))

    def _show(self, task: dict[str, Any], with_risks: bool = False) -> None:
        board, mines = _position(task)
        self._console.say("probabilities_shown" if with_risks else "practice_board", mines=mines, count=mines)
        risks = mine_probabilities(board, mines) if with_risks else None
        self._console.draw(draw_codes(board, self._console.glyphs, risks))

    def _answer(self, task: dict[str, Any]) -> Sequence[Cell]:
        """Returns the cells that the player names, none for Enter; raises a LeaveError."""
        board, _ = _position(task)
        while True:
            line = self._console.ask(f"practice_{self._tasks.kind}").strip().lower()
            if SYNONYMS.get(line, line) == "quit":
                raise LeaveError
            try:
                cells = parse_cells(line, *board.shape)
                opened = next((cell for cell in cells if board[cell] < FLAGGED), None)
                if opened is not None:
                    raise TextError("cell_is_open", x=opened[1] + 1, y=opened[0] + 1)
                if len(cells) > 1 and self._tasks.kind != "all_mines":
                    raise TextError("practice_one_cell")
            except TextError as error:
                self._console.say(error.key, **error.values)
            else:
                return cells

    def _explain(self, task: dict[str, Any], named: Sequence[Cell]) -> Iterator[str]:
        """Yields what is known of each wrongly named cell, and the proofs of the missing cells, or of one safe cell."""
        facts, kind, catalogue = task["metadata"], self._tasks.kind, self._console.catalogue
        (board, mines), proved = _position(task), set[Cell]()
        correct = [tuple(cell) for cell in facts.get("cells", [facts.get("cell")])]
        # For the cell None, `hint` proves the easiest safe cell.
        missing = [None] if kind == "safe_cell" else [cell for cell in correct if cell not in named]
        for cell in (*(cell for cell in named if cell not in correct), *missing):
            if cell in proved:
                continue
            steps = hint(board, mines, cell=cell)
            proved |= {found for step in steps for found in (*step.safe, *step.mine)}
            yield from explain_proof(steps, board, catalogue)
            if cell is not None and not steps:
                risk = catalogue.per_cent(float(mine_probabilities(board, mines)[cell]), 1)
                yield catalogue.text("cell_risk", cell=name_cell(cell, catalogue), risk=risk)
        if kind == "best_guess":
            yield catalogue.text("cell_is_least")


def _position(task: dict[str, Any]) -> tuple[NDArray[np.int8], int]:
    """Returns the int8 codes (rows, cols) of a question, and its number of mines."""
    return np.array(task["metadata"]["board"], np.int8), task["metadata"]["mines"]
