"""Practice: right answers earn points, wrong ones get a proof, and what is no answer is asked again."""

from unittest.mock import Mock

import numpy as np
import pytest

from minesweeper_env import FLAGGED, HIDDEN, BoardConfig
from minesweeper_env.text_tasks import TextTasks
from minesweeper_play import practice
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.command import main
from minesweeper_play.explanations import name_cell
from minesweeper_play.options import PRACTICE, PlayOptions

BOARD, SEED, MANY = BoardConfig(5, 6, 6), 4, 4


def tasks_of(kind):
    return TextTasks(kind, size=(BOARD.rows, BOARD.cols), mines=BOARD.mines, seed=SEED, n=MANY)


def right_cells(task):
    facts = task["metadata"]
    return [tuple(cell) for cell in facts.get("cells", [facts.get("cell")])]


def typed(cells):
    return ", ".join(f"{col + 1} {row + 1}" for row, col in cells)


@pytest.fixture
def answer(monkeypatch, capsys):
    """Answers questions with lines and then leaves; returns what is printed."""

    def run(kind, lines, language="en"):
        given = iter([*lines, "quit"])
        monkeypatch.setattr("builtins.input", lambda _: next(given))
        assert practice.run(PlayOptions(practice=kind, config=BOARD, seed=SEED, language=language)) == 0
        assert next(given, None) is None
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("kind", PRACTICE)
@pytest.mark.parametrize("language", ["en", "es"])
def test_right_answers_earn_all_points(answer, language, kind):
    cells = [right_cells(task) for task in tasks_of(kind)]
    lines = [typed(each if kind == "all_mines" else each[:1]) for each in cells]
    catalogue = Catalogue(language)
    points = catalogue.text("practice_right", total=catalogue.number(MANY, 1), count=MANY)
    assert points in answer(kind, lines, language)


@pytest.mark.parametrize("kind", PRACTICE)
def test_without_an_answer_the_right_one_is_named_after_the_reason(answer, kind):
    catalogue, out = Catalogue("en"), answer(kind, [""] * MANY)
    for count, task in enumerate(tasks_of(kind), 1):
        _, out = out.split(catalogue.text("practice_wrong", score="0.0", total="0.0", count=count))
        part = out.split(catalogue.text("practice_wrong", score="0.0", total="0.0", count=count + 1))[0]
        cells = [cell for cell in right_cells(task) if name_cell(cell, catalogue) in part]
        assert cells if kind == "safe_cell" else cells == right_cells(task)


def test_a_wrong_cell_costs_its_share_and_gets_its_own_verdict(answer):
    task = tasks_of("all_mines")[0]
    mines, hidden = right_cells(task), np.argwhere(np.array(task["metadata"]["board"]) == HIDDEN)
    wrong = next(cell for cell in map(tuple, hidden.tolist()) if cell not in mines)
    out = answer("all_mines", [typed([*mines, wrong])])
    assert Catalogue("en").number((len(mines) - 1) / len(mines), 1) in out
    assert name_cell(wrong, Catalogue("en")) in out


def test_what_is_no_answer_is_asked_again(answer):
    task = tasks_of("safe_cell")[0]
    opened = np.argwhere(np.array(task["metadata"]["board"]) < FLAGGED)[0].tolist()
    right = right_cells(task)[0]
    out = answer("safe_cell", ["foo", "1", "9 9", typed([opened]), typed([right, right]), typed([right])])
    assert Catalogue("en").text("practice_right", total="1.0", count=1) in out


def test_a_board_without_such_questions_is_one_line_and_status_2(capsys):
    assert main(["--practice", "best_guess", "--level", "subset"], "play.py") == 2
    assert main(["--practice", "safe_cell", "--size", "2", "--mines", "1"], "play.py") == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_ctrl_c_while_a_first_question_is_sought_is_status_130(monkeypatch):
    monkeypatch.setattr(TextTasks, "__getitem__", Mock(side_effect=KeyboardInterrupt))
    assert main(["--practice", "safe_cell"], "play.py") == 130
