"""Boundaries of the judge: an open cell with the largest count is open, and no candidate for a click."""

from __future__ import annotations

import numpy as np
import pytest

from baselines.evaluation.judge import Judge, Loss
from minesweeper_env import HIDDEN, BoardConfig

# Cell 5 shows 8, so its neighbours are mines; one of the three cells at the right is the ninth mine.
EIGHT = np.full((1, 3, 4), HIDDEN, np.int8)
EIGHT[0, 1, 1] = 8


def judged(cell, lost):
    """Returns the diagnosis of a game with one click on the board `EIGHT`."""
    judge = Judge(BoardConfig(3, 4, 9, "any", ("click",)), 1)
    judge(np.array([0]), EIGHT, np.array([cell]), np.array([lost]))
    return judge.diagnoses()[0]


def test_a_click_beside_an_eight_is_judged_against_the_covered_cells_alone():
    diagnosis = judged(3, lost=True)
    assert (diagnosis.judged, diagnosis.guesses, diagnosis.past_safe, diagnosis.on_mines) == (1, 1, 0, 0)
    assert diagnosis.excess_risk == 0.0
    assert diagnosis.loss is Loss.FORCED


def test_a_click_on_a_certain_mine_has_the_risk_beyond_the_least_one():
    diagnosis = judged(0, lost=True)
    assert (diagnosis.judged, diagnosis.on_mines, diagnosis.past_safe) == (1, 1, 0)
    assert diagnosis.excess_risk == pytest.approx(2 / 3)
    assert diagnosis.loss is Loss.AVOIDABLE
