"""Hints, probabilities and help of a played game, and the cells that every door may advise."""

import json
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.played_games import session_on
from support.positions import counts_of
from support.terminal_games import drive, settled

from baselines.scripted.oracle_play.position_value import Winning
from minesweeper_env import FLAGGED, HIDDEN, QUESTION, BoardConfig
from minesweeper_env.inference import PositionTooHardError, hint, mine_probabilities
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.board_text import write_board
from minesweeper_play.coach.review import analyse_position, review_game
from minesweeper_play.command import main
from minesweeper_play.explanations import explain_advice
from minesweeper_play.game.advice import advise, marks_of
from minesweeper_play.game.moves import Command
from minesweeper_play.game.session import Session
from minesweeper_play.line_mode import ClassicGame
from minesweeper_play.options import PlayOptions
from minesweeper_play.window import GameWindow


def test_a_hint_is_the_easiest_proof_and_of_a_cell_whether_it_is_safe_or_a_mine_and_why():
    session = session_on("*..*.", ".....", "....*", opened=[(2, 0)])
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
    session = session_on("*...*", opened=[(0, 1)])
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


def test_a_first_click_without_protection_has_its_risk():
    assert Session(BoardConfig(9, 9, 10, first_click="any"), seed=1).hint().risk == pytest.approx(10 / 81)


def test_help_opens_safe_cells_until_one_can_be_inferred():
    session = session_on("*.*...*", opened=[(0, 1)])
    assert session.hint().steps == ()
    before = session.board
    report = session.help()
    assert (report.key, report.values) == ("revealed", {"count": len(session.moves) - 1})
    assert {move.kind for move in session.moves[1:]} == {"reveal"}
    assert np.argwhere(before != session.board).tolist() == [list(cell) for cell in report.cells]
    report = session.help()
    assert (report.key, report.cells, session.aids) == ("can_infer", (), {"hint", "help"})


def test_help_opens_a_safe_cell_at_the_start_under_every_rule():
    assert Session(BoardConfig(5, 5, 3), seed=1).help().key == "first_click_is_safe"
    for seed in range(20):
        session = Session(BoardConfig(5, 5, 20, first_click="any"), seed=seed)
        assert session.help().key in ("revealed", "won")
        assert (session.status != "lost", session.exploded) == (True, None)


def test_a_finished_game_has_no_help():
    session = session_on("*.", opened=[(0, 1)])
    assert session.help().key == "game_is_over"
    with pytest.raises(ValueError, match="no hint once the game is over"):
        session.hint()


def test_a_hint_on_an_uncertain_cell_is_its_risk_and_what_would_be_better():
    session = session_on("*..*..", opened=[(0, 1)])
    advice = session.hint((0, 0))
    assert (advice.steps, advice.risk) == ((), 0.5)
    assert advice.better.cell == session.hint().cell
    assert advice.better.risk == session.hint().risk < 0.5
    assert session.hint(advice.better.cell).better is None
    # Of guesses with the same risk, one alone wins more.
    session = session_on("...*.*", opened=[(0, 2)])
    assert session.hint((0, 4)).better.cell == (0, 5)


def test_a_hint_on_a_named_cell_follows_the_rule_of_a_game_without_luck_and_sees_its_flag():
    layout = np.array([[True, False, False, False, True]])
    session = Session(BoardConfig(1, 5, 2, "any", luck=False), layout=layout)
    session.open(0, 1)
    for cell in ((0, 0), (0, 2)):
        # Both may be mines, and no cell is certainly safe.
        assert session.hint(cell).survives
        assert session.hint(cell).cell == cell
        assert not session.hint(cell).has_flag
        session.flag(*cell)
        assert session.hint(cell).has_flag
    session = Session(BoardConfig(3, 3, 2, "safe"), seed=0)
    session.flag(0, 0)
    assert session.hint((0, 0)).has_flag


def test_on_a_board_that_is_too_hard_a_hint_on_an_uncertain_cell_compares_risks(monkeypatch):
    monkeypatch.setattr(Winning, "choices", Mock(side_effect=PositionTooHardError))
    session = session_on("*..*..", opened=[(0, 1)])
    advice = session.hint((0, 0))
    assert (advice.win, advice.better.choices) == (None, ())
    assert advice.better.risk < advice.risk == 0.5
    assert session.hint(advice.better.cell).better is None


def test_a_hint_mentions_wrong_flags():
    for codes, cell in (([9, 1, 12, 1, 11], (0, 4)), ([9, 1, 12], (0, 0))):
        advice = advise(np.array([codes], np.int8), BoardConfig(1, len(codes), 1, "any"), is_protected=False)
        assert (advice.cell, advice.wrong_flags) == (cell, ((0, 0),))
    assert explain_advice(advice, np.array([codes], np.int8), Catalogue("en"))[0] == "This flag is wrong: (1 1)."


def test_a_guess_of_a_hint_is_that_of_the_coach_and_loses_no_skill():
    config, guesses = BoardConfig(8, 8, 14), 0
    for seed in range(12, 22):
        session = Session(config, seed=seed, now=lambda: 0.0)
        winning = Winning(replace(config, first_click="any"), 50)
        while not session.is_over:
            board, advice = session.board, session.hint()
            if advice.choices and advice.is_exact:
                assert analyse_position(board, 14, games=50).best == advice.cell
                win = winning.win_after(board, [advice.cell], advice.risk)
                assert win == pytest.approx(winning.win(board).probability)
                guesses += 1
            session.open(*advice.cell)
    assert guesses >= 3


# Advice about cells goes through one rule, whatever the door: hints, `--analyse`, reviews, and all screens


def allowed(board, mines):
    """Returns the cells that may be advised, restated: safe before unsure, without a flag before those with one."""
    free = board >= FLAGGED
    if not free.all():
        risks = mine_probabilities(board, mines)
        safe = free & (risks == 0.0)
        free = safe if safe.any() else free & (risks < 1.0)
    unflagged = free & (board != FLAGGED)
    return {tuple(cell) for cell in np.argwhere(unflagged if unflagged.any() else free).tolist()}


@st.composite
def positions(draw):
    """Draws a board of a game that goes on, with marks, and its number of mines."""
    shape = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    layout = draw(arrays(np.bool_, shape))
    marks = draw(arrays(np.int8, shape, elements=st.sampled_from([0, HIDDEN, QUESTION, FLAGGED])))
    board = np.where((marks == 0) & ~layout, counts_of(layout, 1), np.maximum(marks, FLAGGED)).astype(np.int8)
    assume(0 < layout.sum() < (board >= FLAGGED).sum())
    return board, int(layout.sum())


@given(positions())
@settings(max_examples=60, deadline=None)
def test_hints_and_analyses_advise_the_allowed_cells(position):
    board, mines = position
    cells = allowed(board, mines)
    advice = advise(board, BoardConfig(*board.shape, mines, "any"), is_protected=False)
    found = analyse_position(board, mines, "any", games=2)
    for cell, has_flag in ((advice.cell, advice.has_flag), (found.best, found.has_flag)):
        assert cell in cells
        assert has_flag == (board[cell] == FLAGGED)
    assert {choice.cell for choice in (*found.choices, *advice.choices)} <= cells
    assert {cell for steps in (found.steps, advice.steps) for step in steps[-1:] for cell in step.safe} <= cells


GAMES = {
    "first click": (("...*", "....", "....", "**.."), {"flags": [(0, 0), (0, 1)], "first_click": "safe"}),
    "wrong flag beside a safe cell": (("*..", "..."), {"opened": [(0, 1), (1, 1)], "flags": [(0, 0)]}),
    "only flags are safe": ((".*.", "..."), {"opened": [(0, 2), (1, 0), (1, 1), (1, 2)], "flags": [(0, 0)]}),
    "guess": (("*...*",), {"opened": [(0, 1)], "flags": [(0, 2)], "questions": [(0, 4)]}),
    "guess among flags": (("*.", ".*"), {"opened": [(0, 1)], "flags": [(0, 0), (1, 0), (1, 1)]}),
    "the cell without a flag is a mine": (("*..*",), {"opened": [(0, 1)], "flags": [(0, 0), (0, 2)]}),
}


@pytest.mark.parametrize("name", GAMES)
def test_every_door_advises_an_allowed_cell(name, capsys, monkeypatch, tmp_path):
    rows, marks = GAMES[name]
    session = session_on(*rows, **marks)
    advice, cells = session.hint(), allowed(session.board, session.config.mines)
    text = " ".join(explain_advice(advice, session.board, Catalogue("en")))
    assert advice.cell in cells
    assert ("remove it first" in text) == (session.board[advice.cell] == FLAGGED)
    # The line mode, and the window.
    classic = ClassicGame(PlayOptions())
    classic.session = session
    classic._carry_out(Command("hint"))
    assert capsys.readouterr().out.split() == text.split()
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    window = GameWindow(pygame, PlayOptions(), session)
    window.key("h")
    pygame.display.quit()
    assert window.message == text

    async def ask(app, pilot):
        await pilot.press("h")
        await settled(pilot, lambda: app.screen._advice is not None)
        return app.screen._advice

    assert drive(ask, tmp_path, session=session) == advice
    # The coach, on the position as text.
    (tmp_path / "board.txt").write_text(write_board(session.board))
    rule, mines = session.config.first_click, str(session.config.mines)
    words = ["--analyse", str(tmp_path / "board.txt"), "--mines", mines, "--first-click", rule, "--lang", "en"]
    assert main(words) == 0
    assert ("remove it first" in capsys.readouterr().out) == ("remove it first" in text)
    assert main([*words, "--json"]) == 0
    assert tuple(json.loads(capsys.readouterr().out)["best"]) in cells


def test_a_review_names_no_better_cell_that_has_a_flag_and_none_that_is_a_mine():
    session = session_on("*..*", opened=[(0, 1)], flags=[(0, 2)])
    session.open(0, 3)
    assert session.status == "lost"
    (*_, turn) = review_game(session, quick=True).turns
    assert turn.better.cell == (0, 0)
    session = session_on("*..", "...", "*..", opened=[(0, 1), (1, 1), (2, 1)], flags=[(1, 0), (0, 2)])
    session.open(0, 0)
    (*_, turn) = review_game(session, quick=True).turns
    assert turn.better.cell in {(1, 2), (2, 2)} or turn.better is None
