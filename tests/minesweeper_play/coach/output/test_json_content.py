"""Analyses and reviews as JSON: what a program that reads them needs."""

from __future__ import annotations

import json

import numpy as np

from minesweeper_env import HIDDEN
from minesweeper_play.coach.output.json_content import position_content
from minesweeper_play.coach.position import Analysis
from minesweeper_play.winning import Estimate


def analysis(layouts):
    nothing = ()
    board, risks = np.full((2, 2), HIDDEN, np.int8), np.full((2, 2), 0.5)
    parts = (board, 2, "ready", layouts, risks, nothing, nothing, nothing, nothing, nothing, Estimate(0.5, "exact"))
    return Analysis(*parts)


def test_a_number_of_layouts_that_python_cannot_print_is_left_out():
    assert position_content(analysis(6))["layouts"] == 6
    content = position_content(analysis(10**5000))
    assert content["layouts"] is None
    assert json.loads(json.dumps(content)) == content
