"""Tasks of one position: answers, levels and scores against enumeration, and nothing that tells the layout."""

import copy
import json
import re
import time
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import naive_inference as naive
from support.positions import cells_of

from minesweeper_env import HIDDEN
from minesweeper_env.inference import InconsistentBoardError, deduce
from minesweeper_env.text import SPLITS, board_text, parse_reply, split_of
from minesweeper_env.text_tasks import KINDS, LEVELS, TextTasks

SMALL = [((4, 4), 4), ((3, 6), 4), ((5, 5), 5)]
CELL_KINDS = ("safe_cell", "all_safe", "all_mines")
FACTS = {"possible": True, "cells": [[0, 3]], "cell": [1, 2], "probability": 0.25}
FACTS |= {"board": [[HIDDEN] * 4] * 4, "risks": [[0.2] * 4] * 4}


def score(kind, reply, **facts):
    return TextTasks.score_answer(reply, {"metadata": {"kind": kind, **FACTS, **facts}})


def tagged(text):
    return f"I think so. <answer>{text}</answer>"


def pairs(text):
    return {tuple(map(int, pair.split())) for pair in text.split(", ")}


def fits(board, mines):
    try:
        return bool(naive.layouts(board, mines))
    except InconsistentBoardError:
        return False


@cache
def first(kind):
    tasks = TextTasks(kind, size=5, mines=5)
    return tasks, tasks[0]


def check(tasks, entry):
    """Checks an entry against enumeration of the layouts."""
    facts, answer, earned = entry["metadata"], entry["answer"], lambda text: tasks.score_answer(tagged(text), entry)
    board, mines = np.array(facts["board"], np.int8), facts["mines"]
    if tasks.kind == "possible":
        assert (answer == "yes") == fits(board, mines)
        assert earned("yes") + earned("no") == 1
        assert answer == "yes" or re.search(rf"{mines} mines.*, and cell \(\d, \d\) is", tasks.solution(entry))
        return
    risks = naive.mine_probabilities(board, mines)
    covered = {cell: risks[cell] for cell in cells_of(board == HIDDEN)}
    if tasks.kind == "probability":
        risk = covered[tuple(facts["cell"])]
        assert 0 < risk < 1
        assert earned(f"{risk}") == pytest.approx(1)
        assert abs(float(answer) - risk) < 1e-4
        return
    if tasks.kind == "best_guess":
        least = min(covered.values())
        assert 0 < least == pytest.approx(covered[tuple(map(int, answer.split()))])
        for cell, risk in covered.items():
            assert earned("{} {}".format(*cell)) == pytest.approx(max(0, 1 - 10 * (risk - least)), abs=1e-6)
        return
    right = {cell for cell, risk in covered.items() if risk == (tasks.kind == "all_mines")}
    if tasks.kind == "safe_cell":
        assert pairs(answer) <= right
        assert all(earned("{} {}".format(*cell)) == (cell in right) for cell in np.ndindex(board.shape))
    else:
        assert pairs(answer) == right
        all_named = ", ".join(f"{row} {col}" for row, col in covered)
        assert earned(all_named) == pytest.approx(max(0, 2 - len(covered) / len(right)))


def check_level(tasks, entry):
    """Checks that the level of an entry answers it, and that no easier level of `deduce` does."""
    facts = entry["metadata"]
    board, mines = np.array(facts["board"], np.int8), facts["mines"]
    right = {*map(tuple, facts["cells"])}
    enough = [*LEVELS[:3]].index(facts["level"])
    for number, level in enumerate(("count", "subset", "exact")):
        steps = deduce(board, mines, level=level)
        # The mines of the whole board count as several numbers here.
        steps = [step for step in steps if level != "count" or step.because]
        found = {cell for step in steps for cell in (step.mine if tasks.kind == "all_mines" else step.safe)} & right
        assert (bool(found) if tasks.kind == "safe_cell" else found == right) == (number >= enough)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_and_scores_are_those_of_all_layouts(kind):
    for size, mines in SMALL:
        tasks = TextTasks(kind, size=size, mines=mines, n=15)
        for entry in tasks:
            check(tasks, entry)
            assert tasks.score_answer(tagged(entry["answer"]), entry) == tasks.score_answer(entry["answer"], entry) == 1
            assert tasks.score_answer(tasks.solution(entry), entry) == 1


@pytest.mark.parametrize("kind", CELL_KINDS)
def test_the_level_is_the_least_that_answers(kind):
    for level in LEVELS[:3]:
        tasks = TextTasks(kind, size=6, mines=8, level=level, n=8)
        for entry in tasks:
            facts = entry["metadata"]
            assert facts["level"] == level
            check_level(tasks, entry)
            # The text to imitate reasons as the level says.
            assert ("All layouts" in tasks.solution(entry)) == (level == "exact")


def test_a_task_depends_on_its_arguments_and_number_alone():
    tasks = TextTasks("safe_cell", size=8, mines=14, seed=3, n=9)
    backwards = [tasks[number] for number in range(8, -1, -1)][::-1]
    assert backwards == tasks[:] == [*TextTasks("safe_cell", size=8, mines=14, seed=3, n=9)]
    assert tasks[-1] == tasks[8]
    assert copy.deepcopy(tasks)[4] == tasks[4]
    assert TextTasks("safe_cell", size=8, mines=14, seed=4)[0] != tasks[0]
    with pytest.raises(IndexError):
        tasks[9]
    assert len({entry["question"] for entry in tasks}) == 9


GOLDEN = """\
0: # # # # 1 0 0 0
1: # # # 3 1 0 0 0
2: # # # 1 0 1 1 1
3: # # 3 1 0 2 # #
4: # # 1 0 0 2 # #
5: # # 1 0 0 1 # #
6: # # 3 2 1 1 # #
7: # # # # # # # #
14 mines, 34 covered cells
"""


def test_a_task_is_the_same_everywhere():
    entry = TextTasks("all_safe", size=8, mines=14, seed=7)[5]
    assert GOLDEN in entry["question"]
    assert (entry["answer"], entry["metadata"]["level"]) == ("1 2, 3 7, 5 1, 5 6, 6 6, 7 5", "subset")


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_but_the_board_decides_what_a_task_holds(kind):
    """An entry is JSON, and the facts of a kind without chance follow from its board."""
    for entry in TextTasks(kind, size=5, mines=5, n=10):
        facts = json.loads(json.dumps(entry))["metadata"]
        assert set(facts) <= {"kind", "seed", "index", "mines", "level", *FACTS}
        assert board_text(facts["board"], facts["mines"]) in entry["question"]
        assert parse_reply("open 0 0", facts["board"]) == parse_reply("open 0 0", np.array(facts["board"]))
        shown = re.findall(r"^\d+: (.*)$", entry["question"], re.MULTILINE)
        assert [line.split() for line in shown] == [
            ["#" if code == HIDDEN else str(code) for code in row] for row in facts["board"]
        ]


@pytest.mark.parametrize("kind", ["safe_cell", "possible"])
def test_no_board_of_a_split_turned_or_mirrored_is_in_another(kind):
    """On 4x4 with 3 mines most questions come up again."""
    asked = {}
    for split in SPLITS:
        for entry in TextTasks(kind, size=4, mines=3, split=split, n=60):
            board = np.array(entry["metadata"]["board"], np.int8)
            turned = [np.rot90(each, turns) for each in (board, board.T) for turns in range(4)]
            assert {split_of(each) for each in (*turned, board.tolist(), board.astype(np.int64))} == {split}
            asked.setdefault(split, set()).add(min(each.tobytes() for each in turned))
    assert not asked["train"] & asked["test"]
    assert len(asked["train"]) > 10


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.none() | st.text() | st.text("0123456789 ,.;%/()<>answeryesno\\boxed{}rowcl-", max_size=60))
def test_any_reply_has_a_score(kind, text):
    tasks, entry = first(kind)
    assert 0 <= tasks.score_answer(text, entry) <= 1
    assert 0 <= tasks.score_answer(f"<answer>{text}</answer>", entry) <= 1


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        *(("safe_cell", form) for form in ("{0} {1}", "({0}, {1})", "row {0}, column {1}", "column {1}, row {0}")),
        *(("safe_cell", form) for form in (r"\boxed{{{0}, {1}}}", "<think>1 1</think> <answer>({0},{1})</answer>")),
        *(("safe_cell", form) for form in ("<answer>({0}, {1}) is safe</answer>", "<answer>{0} {1}<answer>")),
        ("safe_cell", "<answer>{0} {1}</answer>\nI hope that <answer> is right."),
        ("safe_cell", "<answer>{0} {1}</answer> (as <answer>ROW COL</answer>)"),
        ("safe_cell", "<answer><move>open {0} {1}</move></answer>"),
        *(("all_safe", form) for form in (r"({0},\,{1}),\ ", r"{0}~{1}, ")),
        *(("all_safe", form) for form in ("({0}, {1})", "R{0}C{1}", "Row {0}, Column {1}", "[{0}, {1}]", "{0},{1}")),
        *(("all_safe", form) for form in ("[{0}][{1}]", "column {1}, row {0}", "row {0} and column {1}")),
        *((kind, "fila {0} y columna {1}") for kind in ("safe_cell", "all_safe")),
        *(("all_safe", "fila {0}, columna {1}"), ("safe_cell", "La respuesta es ({0}, {1}).")),
        *(("all_safe", form) for form in ('{{"row": {0}, "col": {1}}}', "1. ({0}, {1})\n")),
    ],
)
def test_forms_of_cells_are_read(kind, form):
    tasks = TextTasks(kind, size=8, mines=14, n=12)
    for entry in tasks:
        named = entry["metadata"]["cells"][: None if kind == "all_safe" else 1]
        assert tasks.score_answer("; ".join(form.format(*cell) for cell in named), entry) == 1


@pytest.mark.parametrize(
    "form",
    [
        *("{0:.4f}", "{0:.3f}", "{1:.1f}%", "about {1:.2f} %", "it is {0:.5f}.", r"\boxed{{{0}}}"),
        *(r"\boxed{{{1}\%}}", "{0:.6e}"),
    ],
)
def test_forms_of_numbers_are_read(form):
    tasks = TextTasks("probability", size=5, mines=5, n=12)
    for entry in tasks:
        risk = entry["metadata"]["probability"]
        assert tasks.score_answer(form.format(risk, 100 * risk), entry) > 0.98


@pytest.mark.parametrize(
    "form",
    [
        *("1/4", r"\frac{1}{4}", r"$\dfrac{1}{4}$", "1 in 4", "1 out of 4", "0,25", "1/4.0", r"\boxed{\frac14}"),
        *("25 percent", "1 of 4", "0.25 for cell (1, 2)", r"\cfrac{1}{4}"),
        *("1 of the 4", "25,0 %", "25 por ciento", "1 de 4", "1 de las 4", "¼"),
    ],
)
def test_fractions_are_read(form):
    assert score("probability", f"So it is {form}") == score("probability", tagged(form)) == 1


@pytest.mark.parametrize(
    "reply",
    [
        *(r"No doubt: \boxed{\text{Yes}}", "There is no conflict. <answer>YES", "**Yes**", "<answer>true"),
        *("<answer>Yes, there is no contradiction</answer>", "<answer>Sí</answer>", "<answer>Si.</answer>"),
    ],
)
def test_a_marked_answer_counts_and_not_the_words_before_it(reply):
    assert score("possible", reply) == 1


@pytest.mark.parametrize(
    "risk", [" (0.2)", " (20%)", ": .2", ", risk 1/5", " with a probability of 0.20.", " - 20 % risk"]
)
def test_the_risk_may_stand_behind_a_guessed_cell(risk):
    assert score("best_guess", tagged(f"(1, 2){risk}")) == score("best_guess", tagged(f"1 2{risk}")) == 1
    assert score("best_guess", tagged(f"not (1, 2){risk}")) == 0


NO = (
    *("No, it cannot be.", "No layout fits.", "no\nIt needs 6 mines.", "There is no such layout.", "No, si hay 6."),
    *("No placement fits.", "No mine layout fits.", "None.", "Not possible.", "No hay ninguna.", "**No** way."),
    "False",
)
REFUSALS = ("I have no idea.", "No comment", "No puedo ayudar.", "I see no contradiction.")


@pytest.mark.parametrize(("reply", "is_no"), [*((each, 1) for each in NO), *((each, 0) for each in REFUSALS)])
def test_a_no_counts_but_a_refusal_does_not(reply, is_no):
    assert score("possible", reply, possible=False) == is_no


def test_a_list_of_messages_is_no_reply():
    with pytest.raises(TypeError, match="a text or None, not list"):
        score("possible", [{"role": "assistant", "content": "no"}])


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        *(("possible", body) for body in ("yes/no", "yes or no", "yes, no")),
        *(("safe_cell", body) for body in ("flag 0 3", "0 3 or 1 1", "(0, 3), (0, 3)", "(0, 3) is a mine")),
        *(("probability", body) for body in ("0/0", "1/0", "-0.25", "nan", "1e999", "9" * 400, f"{9:9<400}/{9:9<400}")),
    ],
)
def test_a_hedge_a_flag_and_no_number_score_nothing(kind, body):
    assert score(kind, tagged(body)) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_long_reply_is_scored_in_linear_time(kind):
    entry = first(kind)[1]
    for text in ("9", "\\boxed{", "0 ", "row "):
        begin = time.process_time()
        assert TextTasks.score_answer(text * 40_000, entry) <= 1
        # A quadratic pattern takes 8 seconds.
        assert time.process_time() - begin < 4


@pytest.mark.parametrize(
    ("wrong", "allowed"),
    [
        ({"kind": "unsafe"}, "safe_cell"),
        ({"kind": "probability", "level": "single"}, "exact"),
        ({"level": "hard"}, "single, subset"),
        ({"split": "all"}, "train"),
        ({"style": "svg"}, "grid"),
        ({"seed": -1}, "seed"),
        ({"n": 0}, "n must"),
        ({"mines": 99}, "mines"),
    ],
)
def test_wrong_arguments_are_refused(wrong, allowed):
    with pytest.raises(ValueError, match=allowed):
        TextTasks(**wrong)


def test_a_board_without_such_a_position_is_named(monkeypatch):
    monkeypatch.setattr("minesweeper_env.text_tasks._GAMES", 50)
    with pytest.raises(ValueError, match="50 games on 4x4/1 have no task safe_cell of level exact"):
        TextTasks(size=4, mines=1, level="exact")[0]


def test_half_of_the_changed_boards_fit_no_layout():
    answers = [entry["answer"] for entry in TextTasks("possible", size=4, mines=4, n=100)]
    assert 30 < answers.count("no") < 70
