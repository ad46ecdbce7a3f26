"""Reviews of games: marks, skill and luck, and the curve of the probability of winning."""

from __future__ import annotations

import numpy as np
import pytest
from support.played_games import play_judged, session_of

from baselines.evaluation.judge import Loss
from minesweeper_env import BoardConfig
from minesweeper_play.coach.review import Mark, review_game
from minesweeper_play.coach.turns import diagnose
from minesweeper_play.game.session import Session


def config_of(rows, cols, mines, first_click="opening"):
    return BoardConfig(rows, cols, mines, first_click, ("click",))


@pytest.mark.parametrize("board", [(5, 5, 5), (8, 8, 14)])
@pytest.mark.parametrize("name", ["random", "exact", "lookahead"])
def test_skill_and_luck_add_up_and_marks_follow_the_judge(name, board):
    config = config_of(*board)
    for session, expected in play_judged(name, config, range(6)):
        review = review_game(session, quick=True)
        curve = [estimate.probability for estimate in review.curve]
        assert len(curve) == len(review.verdicts) + 1
        assert curve[-1] == float(session.status == "won")
        assert review.skill + review.luck == pytest.approx(curve[-1] - curve[0])
        assert all(verdict.skill <= 1e-9 for verdict in review.verdicts)
        assert diagnose([verdict.turn for verdict in review.verdicts]).loss is expected.loss
        assert review.count(Mark.AVOIDABLE) + review.count(Mark.UNLUCKY) == (expected.loss is not None)
        assert review.count(Mark.SAFE) == expected.judged - expected.guesses
        for verdict in review.verdicts:
            is_mistake = verdict.skill <= -min(0.01, verdict.before.probability / 10)
            assert (verdict.mark in (Mark.INACCURATE, Mark.AVOIDABLE)) == is_mistake
            assert (verdict.mark is Mark.CALCULATED) <= (verdict.turn.excess > 0.0)
            assert not is_mistake or verdict.better is not None


def test_exact_play_of_small_boards_has_no_skill_to_lose_but_luck():
    for session, _ in play_judged("optimal", config_of(4, 4, 4), range(8)):
        review = review_game(session)
        assert review.skill == pytest.approx(0.0)
        assert {verdict.mark for verdict in review.verdicts} <= {
            Mark.FIRST, Mark.SAFE, Mark.BEST, Mark.CALCULATED, Mark.UNLUCKY
        }  # fmt: skip


def find_review(name, config, mark):
    """Returns the review of the first game of a policy with a mark, and its verdict."""
    for session, _ in play_judged(name, config, range(40)):
        review = review_game(session, quick=True)
        for verdict in review.verdicts:
            if verdict.mark is mark:
                return review, verdict
    raise AssertionError(f"no game of {name} has a turn marked {mark}")


def test_an_avoidable_death_names_the_safe_cell_and_its_proof():
    review, verdict = find_review("random", config_of(8, 8, 14), Mark.AVOIDABLE)
    assert review.session.status == "lost"
    assert verdict.turn.misses_safe
    assert verdict.better.cell in verdict.steps[-1].safe
    assert verdict.skill < 0
    assert review.exploded == (verdict.turn.cell,)


def test_a_game_without_a_move_has_a_curve_of_one_point():
    review = review_game(Session(config_of(5, 5, 5), seed=1))
    assert review.verdicts == ()
    assert review.session.status == "ready"


def test_moves_that_set_marks_are_no_turns_but_wrong_flags_are_counted():
    session = Session(config_of(8, 8, 10), seed=3)
    session.open(0, 0)
    mines = session.placed_mines
    covered = session.board > 8
    free, mine = (tuple(np.argwhere(covered & kind)[0].tolist()) for kind in (~mines, mines))
    session.flag(*free)
    session.flag(*mine)
    session.question(*free)
    review = review_game(session)
    assert [verdict.mark for verdict in review.verdicts] == [Mark.FIRST]
    assert review.wrong_flags == 1
    assert review.session.status == "playing"


def test_cells_that_the_program_opened_are_help():
    for seed in range(60):
        session = Session(config_of(8, 8, 14), seed=seed)
        session.open(3, 3)
        session.help()
        if len(session.moves) > 1:
            break
    review = review_game(session)
    assert review.verdicts[1].mark is Mark.HELP
    assert not review.verdicts[1].turn.is_judged


def test_a_board_that_needs_no_guess_is_lost_by_the_player():
    config = config_of(8, 8, 10)
    session, _ = next(game for game in play_judged("random", config, range(20)) if game[1].loss is Loss.AVOIDABLE)
    session.no_guess = "exact"
    review = review_game(session)
    assert review.curve[0].probability == 1.0
    assert review.skill < 0.0
    assert review.luck + review.skill == pytest.approx(-1.0)


def test_progress_counts_to_its_end():
    calls = []
    ((session, _),) = play_judged("exact", config_of(8, 8, 14), [4])
    review_game(session, quick=True, progress=lambda done, total: calls.append((done, total)))
    assert [done for done, _ in calls] == list(range(1, len(calls) + 1))
    assert {total for _, total in calls} == {len(calls)}


def test_the_same_game_has_the_same_review():
    config = config_of(9, 9, 14)
    ((session, _),) = play_judged("exact", config, [11])
    one, two = (review_game(session, quick=True) for _ in range(2))
    assert one.curve == two.curve
    assert [verdict.skill for verdict in one.verdicts] == [verdict.skill for verdict in two.verdicts]
    again = session_of(config, 11, [move.row * 9 + move.col for move in session.moves])
    assert review_game(again, quick=True).curve == one.curve
