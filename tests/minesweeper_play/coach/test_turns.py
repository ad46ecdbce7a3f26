"""The coach and the judge of `--diagnose` say the same of every game."""

from __future__ import annotations

import numpy as np
import pytest
from support.played_games import play_judged

from baselines.evaluation.judge import Loss
from minesweeper_env import BoardConfig
from minesweeper_env.inference import mine_probabilities
from minesweeper_play.coach.board_text import read_board
from minesweeper_play.coach.turns import Turn, diagnose, judge_turns, replay
from minesweeper_play.game.moves import Move


def figures_of(session, config):
    return diagnose(judge_turns(replay(session)[0], config))


def compare(name, config, seeds):
    """Compares the figures of games, and returns their losses."""
    found = [(figures_of(session, config), expected) for session, expected in play_judged(name, config, seeds)]
    for own, expected in found:
        assert own.excess_risk == pytest.approx(expected.excess_risk, rel=1e-12)
        assert own._replace(excess_risk=0.0) == expected._replace(excess_risk=0.0)
    return {own.loss for own, _ in found}


@pytest.mark.parametrize("name", ["random", "exact"])
def test_the_figures_are_those_of_the_judge(name):
    compare(name, BoardConfig(8, 8, 14, moves=("click",)), range(20))


def test_a_loss_at_the_first_click_is_forced():
    assert Loss.FORCED in compare("random", BoardConfig(3, 3, 5, "any", moves=("click",)), range(20))


def chord_of(before, cell, opened):
    board = read_board(before)
    return Turn(1, Move("chord", *cell, 0.0), board, opened, False)


def test_the_risk_of_a_chord_is_that_one_of_its_cells_is_a_mine():
    # One mine is among the three cells above the clue; the flag says where.
    config = BoardConfig(2, 3, 1, "any")
    (turn,) = judge_turns([chord_of("F##\n111", (1, 1), ((0, 1), (0, 2)))], config)
    risks = mine_probabilities(read_board("F##\n111"), 1)
    assert turn.is_judged
    assert turn.risk == pytest.approx(1.0 - risks[0, 0])
    assert turn.risk == 1.0


def test_a_chord_without_certainty_has_the_risk_of_its_flags():
    config = BoardConfig(3, 4, 2, "any")
    text = "####\nF1##\n####"
    (turn,) = judge_turns([chord_of(text, (1, 1), ((0, 0), (0, 1), (0, 2), (1, 2), (2, 0), (2, 1), (2, 2)))], config)
    risks = mine_probabilities(read_board(text), 2)
    assert turn.risk == pytest.approx(1.0 - risks[1, 0])
    assert turn.least == pytest.approx(risks.flat[np.flatnonzero(read_board(text) > 8)].min())
