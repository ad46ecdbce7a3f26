"""Analysis of positions: what is certain and why, and the best guess."""

from __future__ import annotations

import numpy as np
import pytest

from minesweeper_env.inference import count_layouts, hint, mine_probabilities
from minesweeper_play.coach.board_text import read_board
from minesweeper_play.coach.review import analyse_position


def analyse(text, mines, first_click="opening"):
    return analyse_position(read_board(text), mines, first_click, games=20)


def test_a_position_with_a_safe_cell_names_it_and_the_clues_that_prove_it():
    text = "1 1 1 1\n# F # #\n# # # #"
    found = analyse(text, 4)
    board = read_board(text)
    assert found.status == "playing"
    assert found.layouts == count_layouts(board, 4)
    assert found.probabilities.tolist() == mine_probabilities(board, 4).tolist()
    assert list(found.steps) == hint(board, 4)
    assert found.best in found.steps[-1].safe
    assert {choice.cell for choice in found.choices} == set(found.steps[-1].safe)
    assert all(choice.risk == 0.0 and choice.win == found.win.probability for choice in found.choices)
    assert set(found.safe) == {tuple(cell) for cell in np.argwhere((board > 8) & (found.probabilities == 0.0)).tolist()}


def test_a_flag_on_a_safe_cell_is_wrong():
    found = analyse("1 1 0\n# F 1\n# # #", 2)
    assert found.wrong_flags == tuple(cell for cell in found.safe if cell == (1, 1))
    found = analyse("F # 1\n1 1 1", 1)
    assert found.wrong_flags == ((0, 0),)
    assert found.mine == ((0, 1),)
    assert found.best == (0, 0)


def test_a_guess_is_ranked_by_the_probability_of_winning():
    found = analyse("2 # #\n# # #\n# # #", 4, "any")
    assert (found.steps, found.safe, found.win.kind) == ((), (), "exact")
    assert found.choices[0].win == pytest.approx(found.win.probability)
    assert [choice.win for choice in found.choices] == sorted((choice.win for choice in found.choices), reverse=True)
    assert all(choice.risk == found.probabilities[choice.cell] for choice in found.choices)


@pytest.mark.parametrize(("first_click", "risk"), [("opening", 0.0), ("safe", 0.0), ("any", 3 / 16)])
def test_before_the_first_click_its_rule_decides(first_click, risk):
    found = analyse("####\n####\n####\n####", 3, first_click)
    assert found.status == "ready"
    assert found.choices[0].risk == risk
    assert found.choices[0].win == found.win.probability
    assert found.steps == ()


@pytest.mark.parametrize(("text", "status", "win"), [("1 #\n1 1", "won", 1.0), ("1 *\n1 #", "lost", 0.0)])
def test_a_game_that_is_over_has_no_move_left(text, status, win):
    found = analyse(text, 1, "safe")
    assert (found.status, found.win.probability, found.best) == (status, win, None)


def test_a_lost_game_is_analysed_as_it_was_before():
    found, before = analyse("111\n1!1\n###", 1), analyse("111\n1#1\n###", 1)
    assert (found.before.board.tolist(), found.before.best) == (before.board.tolist(), before.best)
    assert found.before.mine == ((1, 1),)


def test_a_rule_that_allows_no_such_board_is_refused_before_the_first_click():
    with pytest.raises(ValueError, match="no number of mines fits"):
        analyse("###\n###", 1)
