"""Analyses of positions; reviews of games with the risks that the judge of `--diagnose` finds; and both in words."""

import re
from functools import cache

import numpy as np
import pytest
from support.played_games import play_judged, session_on
from support.policies import click_config

from baselines.evaluation.games import Loss
from minesweeper_env import FLAGGED, MINE, BoardConfig
from minesweeper_env.inference import count_layouts, hint, mine_probabilities
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.board_text import read_board, read_position
from minesweeper_play.coach.review import Mark, Turn, analyse_position, diagnose, judge_turns, replay, review_game
from minesweeper_play.coach.sentences import position_lines, review_lines
from minesweeper_play.game.moves import Move, neighbours
from minesweeper_play.game.session import Session


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
    # Without luck, or on a board that needs no guess, nothing but an unprotected first click can lose.
    for rules in ({"luck": False}, {"needs_no_guess": True}):
        found = analyse_position(found.board, 3, first_click, **rules)
        risk = 0.0 if "needs_no_guess" in rules else risk
        assert (found.choices[0].risk, found.win.probability) == (risk, 1.0 - risk)


@pytest.mark.parametrize(("text", "status", "win"), [("1 #\n1 1", "won", 1.0), ("1 *\n1 #", "lost", 0.0)])
def test_a_game_that_is_over_has_no_move_left(text, status, win):
    found = analyse(text, 1, "safe")
    assert (found.status, found.win.probability, found.best) == (status, win, None)


def test_a_lost_game_is_analysed_as_it_was_before():
    found, before = analyse("111\n1!1\n###", 1), analyse("111\n1#1\n###", 1)
    assert (found.before.board.tolist(), found.before.best) == (before.board.tolist(), before.best)
    assert found.before.mine == ((1, 1),)


@pytest.mark.parametrize("board", [(5, 5, 5), (8, 8, 14)])
@pytest.mark.parametrize("name", ["random", "exact", "lookahead"])
def test_skill_and_luck_add_up_and_risks_and_marks_follow_the_judge(name, board):
    for session, expected in play_judged(name, click_config(*board), range(6)):
        review = review_game(session, quick=True)
        curve, marks = [estimate.probability for estimate in review.curve], [turn.mark for turn in review.turns]
        assert len(curve) == len(review.turns) + 1
        assert curve[-1] == float(session.status == "won")
        assert review.skill + review.luck == pytest.approx(curve[-1] - curve[0])
        assert all(turn.skill <= 1e-9 for turn in review.turns)
        found = diagnose(review.turns)
        assert found.excess_risk == pytest.approx(expected.excess_risk, rel=1e-12)
        assert found._replace(excess_risk=0.0) == expected._replace(excess_risk=0.0)
        assert marks.count(Mark.AVOIDABLE) + marks.count(Mark.UNLUCKY) == (expected.loss is not None)
        assert marks.count(Mark.SAFE) == expected.judged - expected.guesses
        for turn in review.turns:
            is_mistake = turn.skill <= -min(0.01, turn.before.probability / 10)
            assert (turn.mark in (Mark.INACCURATE, Mark.AVOIDABLE)) == is_mistake
            assert (turn.mark is Mark.CALCULATED) <= (turn.excess > 0.0)
            assert not is_mistake or turn.better is not None


def test_a_loss_at_the_first_click_is_forced():
    for session, expected in play_judged("random", click_config(3, 3, 5, "any"), range(20)):
        turns = replay(session)[0]
        judge_turns(turns, session.config)
        assert diagnose(turns).loss is expected.loss
        if session.status == "lost" and len(turns) == 1:
            assert expected.loss is Loss.FORCED


@pytest.mark.parametrize(("board", "mines"), [("F##\n111", 1), ("####\nF1##\n####", 2)])
def test_the_risk_of_a_chord_is_that_of_its_flags(board, mines):
    codes = read_board(board)
    opened = tuple(cell for cell in neighbours((1, 1), codes.shape) if codes[cell] > FLAGGED)
    turn = Turn(1, Move("chord", 1, 1, 0.0), codes, opened, False)
    judge_turns([turn], BoardConfig(*codes.shape, mines, "any"))
    risks = mine_probabilities(codes, mines)
    assert turn.is_judged
    assert turn.risk == pytest.approx(1.0 - risks[codes == 9][0])
    assert turn.least == pytest.approx(risks[codes > 8].min())
    # The only mine of the first board is below no flag.
    assert (turn.risk == 1.0) == (mines == 1)


def test_exact_play_of_small_boards_has_no_skill_to_lose_but_luck():
    allowed = {Mark.FIRST, Mark.SAFE, Mark.BEST, Mark.CALCULATED, Mark.UNLUCKY}
    for session, _ in play_judged("optimal", click_config(4, 4, 4), range(8)):
        review = review_game(session)
        assert review.skill == pytest.approx(0.0)
        assert {turn.mark for turn in review.turns} <= allowed


def test_an_avoidable_death_names_the_safe_cell_and_its_proof():
    games = play_judged("random", click_config(8, 8, 14), range(40))
    turns = (review_game(session, quick=True).turns[-1] for session, _ in games)
    turn = next(turn for turn in turns if turn.mark is Mark.AVOIDABLE)
    assert turn.misses_safe
    assert turn.better.cell in turn.steps[-1].safe


def test_a_game_without_a_move_has_no_turns():
    assert review_game(Session(click_config(5, 5, 5), seed=1)).turns == ()


def test_moves_that_set_marks_are_no_turns_but_wrong_flags_are_counted():
    session = Session(click_config(8, 8, 10), seed=3)
    session.open(0, 0)
    mines, covered = session.placed_mines, session.board > 8
    free, mine = (tuple(np.argwhere(covered & kind)[0].tolist()) for kind in (~mines, mines))
    session.flag(*free), session.flag(*mine), session.question(*free)
    review = review_game(session)
    assert [turn.mark for turn in review.turns] == [Mark.FIRST]
    assert review.wrong_flags == 1
    # The 1 at (0, 0) has its mine at (1, 1), and the chord opens it.
    chord = session_on("....", ".*..", "....", "...*", opened=[(0, 0)], flags=[(0, 1)])
    chord.chord(0, 0)
    assert review_game(chord, quick=True).turns[-1].wrong_flags == ((0, 1),)


def test_cells_that_the_program_opened_are_help():
    for seed in range(60):
        session = Session(click_config(8, 8, 14), seed=seed)
        session.open(3, 3)
        session.help()
        if len(session.moves) > 1:
            break
    turn = review_game(session).turns[1]
    assert (turn.mark, turn.is_judged) == (Mark.HELP, False)


def test_a_board_that_needs_no_guess_is_lost_by_the_player():
    games = play_judged("random", click_config(8, 8, 10), range(20))
    session = next(session for session, found in games if found.loss is Loss.AVOIDABLE)
    session.no_guess = "exact"
    review = review_game(session)
    assert review.curve[0].probability == 1.0
    assert review.skill < 0.0


def test_progress_counts_to_its_end_and_the_same_game_has_the_same_review():
    calls = []
    ((session, _),) = play_judged("exact", click_config(9, 9, 14), [11])
    one = review_game(session, quick=True, progress=lambda *counts: calls.append(counts))
    assert calls == [(done, len(calls)) for done in range(1, len(calls) + 1)]
    two = review_game(session, quick=True)
    assert one.curve == two.curve
    assert [turn.skill for turn in one.turns] == [turn.skill for turn in two.turns]


CONFIG = BoardConfig(8, 8, 14, moves=("click",))


@cache
def reviews():
    games = [game for name in ("subset", "exact", "lookahead") for game, _ in play_judged(name, CONFIG, range(12))]
    return [review_game(game, quick=True) for game in games]


@pytest.mark.parametrize("language", ["en", "es"])
def test_reviews_fit_80_columns_and_name_every_turn(language):
    catalogue = Catalogue(language)
    found = set()
    for review in reviews():
        lines = review_lines(review, catalogue, 80)
        assert max(map(len, lines)) <= 80
        text = "\n".join(lines)
        assert not re.search(r"\{\w+\}", text)
        for turn in review.turns:
            found.add(turn.mark)
            assert catalogue.text(f"mark_{turn.mark}") in text
            if turn.mark == Mark.AVOIDABLE and turn.excess > 0.0 < turn.least and turn.risk < 1.0:
                risks = {name: catalogue.per_cent(getattr(turn, name), 1) for name in ("risk", "least")}
                assert catalogue.text("detail_excess", **risks) in text.replace("\n", " ")
    assert {Mark.AVOIDABLE, Mark.UNLUCKY, Mark.INACCURATE, Mark.SAFE, Mark.FIRST, Mark.BEST} <= found


def test_a_loss_that_no_safer_cell_would_have_bettered_is_no_mistake():
    game = play_judged("lookahead", CONFIG, [23])[0][0]
    turn = review_game(game, quick=True).turns[-1]
    assert (turn.mark, turn.better) == (Mark.UNLUCKY, None)
    assert turn.excess > 0.0


@pytest.mark.parametrize(
    ("text", "mines", "risk", "least", "was_safe"),
    [
        ("2!#\n###", 3, "66.7%", "50.0%", False),
        ("1!\n##", 1, "33.3%", None, False),
        ("1 1 # !\n# # # #", 2, "50.0%", None, True),
        ("1!\n11", 1, None, None, False),
    ],
)
def test_the_click_that_lost_is_judged_by_the_position_before(text, mines, risk, least, was_safe):
    board, _, exploded = read_position(text)
    assert board[exploded] == MINE
    found = analyse_position(board, mines, "any", exploded=exploded, games=20)
    catalogue = Catalogue("en")
    lines = " ".join(" ".join(position_lines(found, catalogue, 80)).split())
    verdict = lines.partition(catalogue.text("position_lost"))[2].partition(catalogue.text("position_before"))[0]
    assert re.findall(r"[0-9.]+%", verdict) == [number for number in (risk, least) if number]
    assert (catalogue.text("detail_safe") in verdict) == was_safe
    assert (catalogue.text("detail_certain_mine", count=1) in verdict) == (risk is None)
    assert "!" in lines.partition(catalogue.text("position_lost"))[0]


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    ("text", "mines"),
    [("1 1 1 1\n# F # #\n# # # #", 4), ("2 # #\n# # #\n# # #", 4), ("1 #\n1 1", 1), ("1 *\n1 #", 1), ("####\n####", 2)],
)
def test_analyses_fit_80_columns_in_both_languages(text, mines, language):
    lines = position_lines(analyse_position(read_board(text), mines, "any", games=20), Catalogue(language), 80)
    assert max(map(len, lines)) <= 80
    assert not re.search(r"\{\w+\}", "\n".join(lines))
