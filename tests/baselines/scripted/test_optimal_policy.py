"""`optimal` in play: on all layouts of small boards it wins exactly as often as perfect play can."""

from fractions import Fraction

import numpy as np
import pytest
from support.policies import Recorder, all_layouts, click_config

from baselines.evaluation.games import Start, play_games
from baselines.scripted.oracle_play.optimal import OptimalPolicy
from minesweeper_env import HIDDEN, BoardConfig
from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError, win_probability


def drawn_layouts(config: BoardConfig, first: int) -> np.ndarray:
    """Returns all layouts that a first click on a cell may meet."""
    layouts = all_layouts(config)
    row, col = divmod(first, config.cols)
    reach = {"any": -1, "safe": 0, "opening": config.radius}[config.first_click]
    zone = layouts[:, max(row - reach, 0) : row + reach + 1, max(col - reach, 0) : col + reach + 1]
    return layouts[~zone.any(axis=(1, 2))]


@pytest.mark.parametrize(
    "board",
    [
        *[(3, 3, mines, rule) for mines in range(1, 9) for rule in ("any", "safe")],
        (1, 2, 1, "any"),
        (2, 7, 4, "any"),
        (3, 4, 4, "any"),
        (3, 4, 5, "safe"),
        (4, 4, 3, "any"),
        (4, 4, 5, "any"),
        (4, 4, 5, "safe"),
        (4, 4, 7, "opening"),
        (5, 4, 4, "opening"),
        (5, 5, 5, "opening"),
        (4, 5, 3, "safe", 2),
    ],
    ids=str,
)
def test_it_wins_as_many_layouts_as_perfect_play(board):
    config = click_config(*board)
    policy = OptimalPolicy(config)
    covered = np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)
    first = int(policy.act(covered, np.ones((1, config.actions), np.int8))[0])
    layouts = drawn_layouts(config, first)
    records = play_games(policy, config, range(len(layouts)), starts=[Start(layout, first) for layout in layouts])
    share = Fraction(sum(record.won for record in records), len(layouts))
    assert share == win_probability(*board[:4], radius=config.radius)


def test_it_does_not_depend_on_seeds_or_on_what_it_met_before():
    config = click_config(4, 4, 5, "safe")
    recorder = Recorder(OptimalPolicy(config))
    play_games(recorder, config, range(60))
    again = OptimalPolicy(config)
    again.reset(5)
    boards = np.stack(recorder.seen)[::-1]
    masks = (boards == HIDDEN).reshape(len(boards), -1).astype(np.int8)
    assert (again.act(boards, masks)[::-1] == recorder.policy.act(boards[::-1], masks[::-1])).all()


def test_marks_are_no_evidence_and_illegal_clicks_are_not_made():
    config = BoardConfig(3, 3, 2, "any", ("click", "flag"))
    policy = OptimalPolicy(config)
    board = np.array([[[HIDDEN, 1, HIDDEN], [HIDDEN] * 3, [HIDDEN] * 3]], np.int8)
    mask = np.concatenate([board.reshape(1, 9) == HIDDEN, board.reshape(1, 9) == HIDDEN], axis=1).astype(np.int8)
    best = int(policy.act(board, mask)[0])
    marked = board.copy()
    marked.reshape(-1)[best] = 9
    other = int(np.flatnonzero(mask[0])[-10])
    marked.reshape(-1)[other] = 10
    assert policy.act(marked, mask)[0] == best
    mask[0, best] = 0
    assert mask[0, policy.act(marked, mask)[0]] == 1
    only_flags = np.concatenate([np.zeros((1, 9), np.int8), mask[:, 9:]], axis=1)
    assert only_flags[0, policy.act(board, only_flags)[0]] == 1


def test_what_it_cannot_play_is_refused():
    with pytest.raises(ValueError, match="first_click must be one of any, safe, opening"):
        OptimalPolicy(click_config(5, 5, 5, "corners"))
    with pytest.raises(PositionTooHardError, match="choose a smaller board"):
        OptimalPolicy(click_config(8, 8, 14))
    policy = OptimalPolicy(click_config(3, 3, 2, "any"))
    with pytest.raises(InconsistentBoardError):
        policy.act(np.where(np.eye(3), 7, HIDDEN).astype(np.int8)[None], np.ones((1, 9), np.int8))
