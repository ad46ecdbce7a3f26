"""Probabilities of winning: laws of the exact ones, and bounds of the estimates."""

from functools import cache

import numpy as np
import pytest
from support.policies import click_config, moments, number_won

from baselines.registry import find_policy
from baselines.scripted.oracle_play.position_value import Playouts, Winning
from minesweeper_env.inference import OptimalPlay, mine_probabilities
from minesweeper_env.inference.kernels import consistent_layouts
from minesweeper_play.coach.board_text import read_board


@cache
def winning_of(*board, **options):
    return Winning(click_config(*board), 200, **options)


def test_of_clicks_that_win_equally_often_the_less_risky_one_comes_first():
    choices = winning_of(2, 3, 2, "any").choices(read_board("1##\n###"))[:3]
    assert [choice.cell for choice in choices] == [(0, 1), (1, 1), (0, 2)]
    assert [choice.win for choice in choices] == pytest.approx([1 / 3] * 3)
    assert [choice.risk for choice in choices] == pytest.approx([1 / 3, 1 / 3, 1 / 2])


def positions(*board, games):
    """Returns the positions under way of games of `exact`."""
    return [position for position, _ in moments(click_config(*board), games) if (position <= 8).any()]


@pytest.mark.parametrize("board", [(4, 4, 4), (3, 6, 5), (5, 5, 5)])
def test_the_best_click_is_worth_the_position_and_no_click_is_worth_more(board):
    winning = winning_of(*board)
    for position in positions(*board, games=6):
        win = winning.win(position)
        assert win.kind == "exact"
        risks = mine_probabilities(position, board[2])
        covered = map(tuple, np.argwhere(position > 8).tolist())
        values = {cell: winning.win_after(position, [cell], risks[cell]) for cell in covered}
        assert max(values.values()) == pytest.approx(win.probability)
        assert winning.choices(position, 20)[0].win == pytest.approx(win.probability)
        for cell, value in values.items():
            assert value <= 1.0 - risks[cell] + 1e-9


def test_exact_probabilities_are_those_of_perfect_play_also_before_the_first_click_of_a_small_board():
    play, winning = OptimalPlay(4, 4, 5, "safe"), winning_of(4, 4, 5, "safe")
    for position in positions(4, 4, 5, "safe", games=8):
        assert winning.win(position).probability == pytest.approx(float(play.best_click(position).win_probability))
    value = float(OptimalPlay(3, 4, 3, "safe").first_cell_values()[1, 2])
    assert winning_of(3, 4, 3, "safe").start((1, 2)) == (pytest.approx(value), "exact", 0.0)


def test_a_safe_cell_opened_along_with_a_guess_changes_nothing():
    winning, found = winning_of(5, 5, 5), 0
    for board in positions(5, 5, 5, games=12):
        risks = mine_probabilities(board, 5)
        safe = np.argwhere((board > 8) & (risks == 0.0)).tolist()
        guesses = np.argwhere((risks > 0.0) & (risks < 1.0)).tolist()
        for guess in guesses if safe else []:
            cell, free = tuple(guess), tuple(safe[0])
            together = winning.win_after(board, [cell, free], risks[cell])
            assert together == pytest.approx(winning.win_after(board, [cell], risks[cell]))
            found += 1
    assert found > 10


def test_positions_that_are_over_flags_and_boards_that_need_no_guess():
    winning = winning_of(2, 2, 1, "safe")
    assert winning.win(read_board("1#\n11")) == (1.0, "over", 0.0)
    assert winning.win(read_board("1*\n1#")) == (0.0, "over", 0.0)
    assert winning.win(read_board("1#\n##")) is winning.win(read_board("1F\n##"))
    winning = winning_of(3, 4, 2, needs_no_guess=True)
    assert winning.start((0, 0)) == (1.0, "logic", 0.0)
    assert winning.win(read_board("1##1\n1221\n0000")).probability == 1.0


def play_every_layout(board, config):
    """Returns the fraction of the layouts of a position, which `exact` has reached, that it wins."""
    found = consistent_layouts(board, config.mines, 100_000)
    layouts = np.zeros((len(found.mines), config.cells), np.bool_)
    layouts[:, found.cells] = found.mines == 1
    won = number_won(find_policy("exact")(config), config, layouts.reshape(-1, *board.shape))
    return won / len(layouts)


def test_playouts_win_between_exact_and_perfect_play():
    config = click_config(6, 6, 9)
    boards = positions(6, 6, 9, games=40)
    board = next(board for board in boards if 250 < len(consistent_layouts(board, 9, 10**5).mines) < 500)
    found = Playouts(config, np.random.default_rng(5)).play(board, 2000)
    assert 0.0 < found.error < 0.02
    best = winning_of(6, 6, 9).win(board)
    assert best.kind == "exact"
    assert play_every_layout(board, config) - 4 * found.error < found.probability < best.probability + 4 * found.error


def test_playouts_from_the_first_click_agree_with_perfect_play_and_may_be_lost_at_once():
    found = Playouts(click_config(4, 4, 4), np.random.default_rng(1)).start(5, 3000)
    perfect = float(OptimalPlay(4, 4, 4).first_cell_values()[1, 1])
    assert abs(found.probability - perfect) < 4 * found.error
    found = Playouts(click_config(2, 2, 3, "any"), np.random.default_rng(1)).start(0, 400)
    assert abs(found.probability - 0.25) < 4 * found.error


def test_the_best_guess_on_a_large_board_is_that_of_lookahead_one_click_ahead():
    config = click_config(9, 9, 20)
    winning, policy = Winning(config, 10), find_policy("lookahead:clicks=1,layouts=0")(config)
    found = 0
    for board in positions(9, 9, 20, games=4):
        risks = mine_probabilities(board, 20)
        if risks[board > 8].min() == 0.0 or winning._endgame(board):
            continue
        choices = winning.choices(board)
        action = policy.act(board[None], (board > 8).reshape(1, -1).astype(np.int8))[0]
        assert choices[0].cell == divmod(int(action), 9)
        assert choices[0].win == pytest.approx(winning.win(board).probability, abs=1e-15)
        assert winning.win_after(board, [choices[-1].cell], choices[-1].risk) == pytest.approx(choices[-1].win)
        found += 1
    assert found > 5
