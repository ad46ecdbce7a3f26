"""Hints, probabilities and help of a played game."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from support.played_games import session_on

from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError, hint, mine_probabilities
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.review import analyse_position
from minesweeper_play.explanations import explain_advice
from minesweeper_play.game.advice import advise, marks_of
from minesweeper_play.game.session import Session
from minesweeper_play.winning import Winning

THREE = ("*..*.", ".....", "....*")


def test_a_hint_is_the_easiest_proof_and_of_a_cell_whether_it_is_safe_or_a_mine_and_why():
    session = session_on(*THREE)
    session.open(2, 0)
    advice = session.hint()
    assert list(advice.steps) == hint(session.board, 3)
    assert advice.cell in advice.steps[-1].safe
    assert advice.is_safe
    for cell in map(tuple, np.argwhere(session.board == session.config.codes.hidden).tolist()):
        advice, risk = session.hint(cell), mine_probabilities(session.board, 3)[cell]
        assert (advice.cell, advice.is_named) == (cell, True)
        assert (advice.is_safe, advice.risk == 1) == (risk == 0, risk == 1)
        assert list(advice.steps) == hint(session.board, 3, cell=cell)
    assert session.aids == {"hint"}


def test_without_a_proof_the_hint_is_the_least_risk():
    session = session_on("*...*")
    session.open(0, 1)
    advice = session.hint()
    assert (advice.steps, advice.risk) == ((), 0.5)
    assert marks_of(advice) == {advice.cell: "safe"}
    assert marks_of(session.hint(advice.cell)) == {advice.cell: "choice"}
    risks = session.probabilities()
    assert risks.tolist() == mine_probabilities(session.board, 2).tolist()
    assert risks[advice.cell] == 0.5
    session.flag(*advice.cell)
    assert session.hint().cell != advice.cell
    assert [each.cell for each in session.hint().choices] == [each.cell for each in advice.choices[1:]]
    assert session.aids == {"hint", "probabilities"}


def test_the_first_click_is_safe_by_its_rule():
    advice = Session(BoardConfig(9, 9, 10), seed=1).hint()
    assert (advice.cell, advice.risk, advice.steps) == ((2, 2), 0.0, ())
    assert Session(BoardConfig(9, 9, 10, first_click="any"), seed=1).hint().risk == pytest.approx(10 / 81)


def test_help_opens_safe_cells_until_one_can_be_inferred():
    session = session_on("*.*...*")
    session.open(0, 1)
    assert session.hint().steps == ()
    before = session.board
    report = session.help()
    assert report.key == "revealed"
    assert report.values == {"count": len(session.moves) - 1}
    assert {move.kind for move in session.moves[1:]} == {"reveal"}
    assert np.argwhere(before != session.board).tolist() == [list(cell) for cell in report.cells]
    report = session.help()
    assert (report.key, report.cells, session.aids) == ("can_infer", (), {"hint", "help"})


def test_help_opens_a_safe_cell_at_the_start_under_every_rule():
    assert Session(BoardConfig(5, 5, 3), seed=1).help().key == "first_click_is_safe"
    for seed in range(20):
        session = Session(BoardConfig(5, 5, 20, first_click="any"), seed=seed)
        assert session.help().key in ("revealed", "won")
        assert session.status != "lost"
        assert session.exploded is None


def test_a_finished_game_has_no_help():
    session = session_on("*.")
    session.open(0, 1)
    assert session.help().key == "game_is_over"
    with pytest.raises(ValueError, match="no hint once the game is over"):
        session.hint()


def test_a_hint_on_an_uncertain_cell_is_its_risk_and_what_would_be_better():
    session = session_on("*..*..")
    session.open(0, 1)
    advice = session.hint((0, 0))
    assert (advice.steps, advice.risk) == ((), 0.5)
    assert advice.better.cell == session.hint().cell
    assert advice.better.risk == session.hint().risk < 0.5
    assert session.hint(advice.better.cell).better is None
    # Of guesses with the same risk, one alone wins more.
    session = session_on("...*.*")
    session.open(0, 2)
    assert session.hint((0, 4)).better.cell == (0, 5)


def test_on_a_board_that_is_too_hard_a_hint_on_an_uncertain_cell_compares_risks(monkeypatch):
    monkeypatch.setattr(Winning, "choices", Mock(side_effect=PositionTooHardError))
    session = session_on("*..*..")
    session.open(0, 1)
    advice = session.hint((0, 0))
    assert (advice.win, advice.better.choices) == (None, ())
    assert advice.better.risk < advice.risk == 0.5
    assert session.hint(advice.better.cell).better is None


def test_a_hint_never_names_a_flagged_cell_and_mentions_wrong_flags():
    session = Session(BoardConfig(3, 3, 1, first_click="safe"), seed=0)
    session.flag(*session.hint().cell)
    assert session.board[session.hint().cell] == 11
    board = np.array([[9, 1, 12, 1, 11]], np.int8)
    advice = advise(board, BoardConfig(1, 5, 1, "any"), is_protected=False)
    assert (advice.cell, advice.wrong_flags, advice.steps[-1].safe) == ((0, 4), ((0, 0),), ((0, 4),))
    advice = advise(board[:, :3], BoardConfig(1, 3, 1, "any"), is_protected=False)
    assert (advice.wrong_flags, explain_advice(advice, Catalogue("en"))[0]) == (((0, 0),), "This flag is wrong: (1 1).")
    guess = advise(np.array([[9, 1, 11]], np.int8), BoardConfig(1, 3, 1, "any"), is_protected=False)
    assert (guess.cell, guess.choices[0].win) == ((0, 2), 0.5)


def test_a_guess_of_a_hint_is_that_of_the_coach_and_loses_no_skill():
    config, guesses = BoardConfig(8, 8, 14), 0
    for seed in range(12, 22):
        session = Session(config, seed=seed, now=lambda: 0.0)
        winning = Winning(replace(config, first_click="any"), 50)
        while not session.is_over:
            board, advice = session.board, session.hint()
            if advice.choices and advice.is_exact:
                assert analyse_position(board, 14, games=50).best == advice.cell
                assert winning.win_after(board, [advice.cell], advice.risk) == pytest.approx(
                    winning.win(board).probability
                )
                guesses += 1
            session.open(*advice.cell)
    assert guesses >= 3
