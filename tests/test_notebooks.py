"""The notebooks: right answers to the exercises pass, wrong ones are shown with the board; the tour runs."""

import json
import re

import pytest
from support import ROOT
from support.processes import run_python

CELLS = json.loads((ROOT / "examples" / "exercises.ipynb").read_text(encoding="utf-8"))["cells"]
BLOCKS = ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]
TO_DO = "    raise NotImplementedError"
EXERCISES = [f"exercise {number}" for number in range(1, 5)]

ANSWERS = {
    "def layouts(": """
    from itertools import combinations

    found = map(set, combinations(covered_cells(board), mines))
    numbers = [(neighbours(cell, board), board[cell]) for cell in np.ndindex(board.shape) if board[cell] < 9]
    return [layout for layout in found if all(len(layout & near) == number for near, number in numbers)]
""",
    "def safe_cells(": """
    return set(covered_cells(board)) - set().union(*layouts(board, mines))
""",
    "def parts(": """
    found = []
    for clue in clues_of(board):
        touched = [part for part in found if part & clue]
        found = [part for part in found if not part & clue] + [clue.union(*touched)]
    return found
""",
    "def risks(": f"""
    import runpy

    oracle = runpy.run_path({str(ROOT / "examples" / "oracle_on_one_page.py")!r})["mine_probabilities"]
    return np.array(oracle(board.tolist(), mines), float)
""",
}

WRONG = [
    ("def layouts(", "    return covered_cells(board)"),
    ("def safe_cells(", "    return set()"),
    ("def parts(", "    return [set().union(*clues_of(board))]"),
    ("def risks(", "    return np.where(board == COVERED, mines / len(covered_cells(board)), 0.0)"),
    ("def risks(", "    return np.zeros(3) if len(board) == 8 else np.zeros(board.shape)"),
]


def printed(capsys, answers):
    """Runs the notebook with these bodies of its functions, and returns its lines."""
    names = {}
    for block in BLOCKS:
        body = next((body for head, body in answers.items() if head in block), TO_DO)
        exec(compile(block.replace(TO_DO, body), "exercises.ipynb", "exec"), names)
    return capsys.readouterr().out.splitlines()


def test_right_answers_pass_and_play_well(capsys):
    lines = printed(capsys, ANSWERS)
    right = [line.partition(" is right on ")[0] for line in lines if " is right on " in line]
    assert right == EXERCISES
    wins, _, games = lines[-1].partition(" of ")
    assert int(wins) > 85, games


def test_what_is_not_written_yet_is_named(capsys):
    assert {line.partition(" is still")[0] for line in printed(capsys, {}) if "still" in line} == set(EXERCISES)


@pytest.mark.parametrize(("head", "body"), WRONG)
def test_a_wrong_answer_is_shown_with_its_board(capsys, head, body):
    right = {each: body for each, body in ANSWERS.items() if each != head} if head != "def layouts(" else {}
    lines = printed(capsys, {**right, head: body})
    differs = [line.partition(" differs")[0] for line in lines if " differs " in line]
    assert differs == [EXERCISES[[*ANSWERS].index(head)]]


@pytest.mark.slow
def test_the_cells_of_the_tour_run_in_its_folder_and_print_win_rates_with_intervals():
    cells = json.loads((ROOT / "examples" / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    done = run_python("-c", code, cwd=ROOT / "examples", env={"MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    printed = re.findall(r"^(\w+) +wins 0\.\d+ \(0\.\d+ to 0\.\d+\)$", done.stdout, re.MULTILINE)
    assert printed == ["subset", "dqn", "exact"]
