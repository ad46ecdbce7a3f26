"""The exercises for students: right answers pass their checks, and wrong ones are shown with the board."""

import json

import pytest
from support import ROOT

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
    "def risks(": """
    from collections import Counter
    from math import comb

    covered = set(covered_cells(board))
    numbers = [(neighbours(cell, board) & covered, board[cell]) for cell in np.ndindex(board.shape) if board[cell] < 9]

    def fillings(part):
        # The number of fillings with each number of mines, and of those with a mine in a cell.
        cells, ways, ways_of = sorted(part), Counter(), Counter()
        around = {cell: [each for each in numbers if cell in each[0]] for cell in cells}

        def fill(begin, mined, free):
            if begin == len(cells):
                ways[len(mined)] += 1
                ways_of.update((len(mined), cell) for cell in mined)
                return
            cell = cells[begin]
            if all(len(near & mined) < number for near, number in around[cell]):
                fill(begin + 1, mined | {cell}, free)
            if all(len(near - free) > number for near, number in around[cell]):
                fill(begin + 1, mined, free | {cell})

        fill(0, frozenset(), frozenset())
        return ways, ways_of

    def together(counts):
        total = Counter({0: 1})
        for ways in counts:
            pairs = [(a + b, n * k) for a, n in total.items() for b, k in ways.items()]
            total = Counter()
            for m, n in pairs:
                total[m] += n
        return total

    def layouts_of(total, cells, used=0):
        return sum(n * comb(cells, mines - used - m) for m, n in total.items() if used + m <= mines)

    tables = [fillings(part) for part in parts(board)]
    outside = covered - set().union(*clues_of(board))
    total = together(ways for ways, _ in tables)
    layouts = layouts_of(total, len(outside))
    found = np.zeros(board.shape)
    for number, (_, ways_of) in enumerate(tables):
        rest = together(ways for ways, _ in tables[:number] + tables[number + 1 :])
        for (m, cell), ways in ways_of.items():
            found[cell] += ways * layouts_of(rest, len(outside), m) / layouts
    for cell in outside:
        found[cell] = layouts_of(total, len(outside) - 1, 1) / layouts
    return found
""",
}

WRONG = {
    "def layouts(": "    return covered_cells(board)",
    "def safe_cells(": "    return set()",
    "def parts(": "    return [set().union(*clues_of(board))]",
    "def risks(": "    return np.where(board == COVERED, mines / len(covered_cells(board)), 0.0)",
}


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


@pytest.mark.parametrize(("head", "exercise"), [*zip(WRONG, EXERCISES, strict=True)])
def test_a_wrong_answer_is_shown_with_its_board(capsys, head, exercise):
    right = {each: body for each, body in ANSWERS.items() if each != head} if head != "def layouts(" else {}
    lines = printed(capsys, {**right, head: WRONG[head]})
    assert [line.partition(" differs")[0] for line in lines if " differs " in line] == [exercise]
