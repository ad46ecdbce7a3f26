"""`lookahead`: the exact endgame, and the value of a click before it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from support import naive_inference as naive
from support.policies import Recorder, all_layouts, boards_in_play, click_config, number_won

from baselines import make_policy
from baselines.evaluation.games import play_games
from baselines.registry import build_policy
from baselines.scripted.oracle_play.lookahead import Endings
from minesweeper_env.inference import InconsistentBoardError, count_layouts, first_cell_values, mine_probabilities
from minesweeper_env.inference.optimal import OptimalPlay

SLACK, DISCOUNT, BREADTH = 0.15, 0.1, 20


@pytest.mark.parametrize(("rows", "cols", "mines"), [(3, 3, 2), (3, 4, 3), (4, 4, 3), (4, 4, 4)])
def test_with_all_layouts_searched_it_wins_as_many_as_perfect_play_after_its_first_click(rows, cols, mines):
    config = click_config(rows, cols, mines, "safe")
    layouts = all_layouts(config)
    layouts = layouts[~layouts[:, 0, 0]]
    value = first_cell_values(rows, cols, mines, "safe")[0, 0]
    assert Fraction(number_won(build_policy("lookahead", config), config, layouts), len(layouts)) == value


def board_value(board: np.ndarray, mines: int) -> float:
    """Returns the safety of the safest cell times N ** -DISCOUNT, by the naive reference."""
    probabilities = naive.mine_probabilities(board, mines)
    least = probabilities[board > 8].min() if (board > 8).any() else 1.0
    safety = 1.0 if least == 1.0 else 1.0 - least
    return safety * naive.count_layouts(board, mines) ** -DISCOUNT


def outcomes(board: np.ndarray, mines: int, cell: int) -> list[tuple[float, np.ndarray]]:
    """Returns the probability of each clue that a cell can show, and the board with it."""
    whole = naive.count_layouts(board, mines)
    found = []
    for count in range(9):
        then = board.copy()
        then.ravel()[cell] = count
        try:
            found.append((naive.count_layouts(then, mines) / whole, then))
        except InconsistentBoardError:
            continue
    return found


def click_value(board: np.ndarray, mines: int, cell: int) -> float:
    return sum(probability * board_value(then, mines) for probability, then in outcomes(board, mines, cell))


def guesses(config, games: int) -> list[np.ndarray]:
    recorder = Recorder(build_policy("exact", config))
    play_games(recorder, config, range(games))
    boards = np.unique(np.stack(recorder.seen), axis=0)
    return [
        board
        for board in boards
        if (board <= 8).any() and (mine_probabilities(board, config.mines)[board > 8] > 0.0).all()
    ]


def test_one_click_ahead_the_value_of_a_click_follows_its_definition():
    config = click_config(5, 5, 6)
    options = {"clicks": 1, "layouts": 0, "slack": SLACK, "discount": DISCOUNT, "breadth": BREADTH}
    policy = build_policy("lookahead", config, **options)
    boards = guesses(config, 60)
    assert len(boards) > 20
    for board in boards:
        click = policy.act(board[None], (board > 8).reshape(1, -1).astype(np.int8))[0]
        probabilities = naive.mine_probabilities(board, 6).ravel()
        covered = np.flatnonzero((board > 8).ravel())
        near = covered[probabilities[covered] <= probabilities[covered].min() + SLACK + 1e-12]
        assert click in near
        assert click_value(board, 6, click) >= max(click_value(board, 6, cell) for cell in near) - 1e-9


def test_it_takes_no_needless_risk_and_does_not_change_the_boards():
    config = click_config(8, 8, 14)
    recorder = Recorder(build_policy("lookahead", config))
    play_games(recorder, config, range(40))
    boards = np.unique(np.stack(recorder.seen), axis=0)
    before = boards.copy()
    masks = (boards > 8).reshape(len(boards), -1).astype(np.int8)
    clicks = recorder.policy.act(boards, masks)
    assert (boards == before).all()
    assert (recorder.policy.act(boards[::-1], masks[::-1])[::-1] == clicks).all()
    for board, click in zip(boards, clicks, strict=True):
        probabilities = mine_probabilities(board, 14)
        if (board <= 8).any() and (probabilities[board > 8] == 0.0).any():
            assert probabilities.ravel()[click] == 0.0


def test_an_unfinished_search_still_plays():
    config = click_config(6, 6, 9, "safe")
    policy = build_policy("lookahead", config, nodes=1)
    records = play_games(policy, config, range(50))
    assert 0 < sum(record.won for record in records) < 50


def test_the_policy_plays_boards_of_radius_2():
    policy = make_policy("lookahead", size=(7, 6), mines=4, first_click="safe")
    assert policy.config.radius == 1
    config = type(policy.config)(7, 6, 4, "safe", ("click",), radius=2)
    assert sum(record.won for record in play_games(build_policy("lookahead", config), config, range(20))) > 0


CONFIG = click_config(4, 5, 4)


@pytest.fixture(scope="module")
def endings_in_play():
    """Boards of games under way, with the numbers of layouts."""
    boards = [board for board in boards_in_play(CONFIG, 100) if (board <= 8).any()]
    return [(board, count_layouts(board, CONFIG.mines)) for board in boards]


def test_the_play_found_wins_as_often_as_perfect_play(endings_in_play):
    endings, play = Endings(CONFIG, 10_000, 100_000), OptimalPlay(4, 5, 4)
    for board, layouts in endings_in_play:
        ending = endings.find(board, math.log(layouts))
        assert ending.win_probability == pytest.approx(float(play.best_click(board).win_probability), abs=1e-12)
        assert ending.win_probability <= 1.0 - mine_probabilities(board, 4).ravel()[ending.cell] + 1e-12


def test_the_number_of_layouts_decides_whether_a_board_is_searched(endings_in_play):
    some = sorted({layouts for _, layouts in endings_in_play})
    limit = some[len(some) // 2]
    endings = Endings(CONFIG, limit, 100_000)
    for board, layouts in endings_in_play:
        # A logarithm comes with a rounding error.
        found = endings.find(board.ravel(), math.log(layouts) + 1e-8)
        assert (found is not None) == (layouts <= limit) == (math.log(layouts) <= endings.most)


def test_no_layouts_means_no_search():
    endings = Endings(CONFIG, 0, 1)
    board = np.full((4, 5), 11, np.int8)
    assert endings.find(board, 0.0) is None
