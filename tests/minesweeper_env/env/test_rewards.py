"""Rewards of each scheme, step by step."""

import numpy as np
import pytest
from support.equality import assert_same

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.rewards import REWARDS

# One mine in a corner of 2 x 4: a click on cell 3 floods cells 1 to 3 and 5 to 7; cell 4 is left.
LAYOUT = np.array([[1, 0, 0, 0], [0, 0, 0, 0]], np.bool_)
FLOOD, LAST, MINE, FLAG_LAST, CHORD = 3, 4, 0, 8 + 4, 16 + 1

# "flood" opens 6 of the 7 safe cells, and "win" opens the last one. "win_at_once" is a first click that opens all
# safe cells.
EARNED = {
    "win_loss": {"flood": 0.0, "win": 1.0, "win_at_once": 1.0, "loss": -1.0, "illegal": 0.0, "flag": 0.0},
    "win": {"flood": 0.0, "win": 1.0, "win_at_once": 1.0, "loss": 0.0, "illegal": 0.0, "flag": 0.0},
    "safe_click": {"flood": 1.0, "win": 1.0, "win_at_once": 1.0, "loss": 0.0, "illegal": 0.0, "flag": 0.0},
    "progress": {"flood": 6 / 7, "win": 1 / 7, "win_at_once": 1.0, "loss": -1.0, "illegal": 0.0, "flag": 0.0},
    "shaped": {"flood": 0.3, "win": 1.0, "win_at_once": 1.0, "loss": -1.0, "illegal": -0.3, "flag": 0.0},
}


def earned(reward, actions, layout=LAYOUT):
    """Returns the rewards of each step in a single and two batched games on a layout."""
    arguments = {"size": layout.shape, "mines": 1, "first_click": "any", "moves": ("click", "flag", "chord")}
    env, batch = MinesweeperEnv(**arguments, reward=reward), MinesweeperVectorEnv(2, **arguments, reward=reward)
    env.reset(options={"layout": layout})
    batch.reset(options={"layout": layout})
    rewards = []
    for action in actions:
        value = env.step(action)[1]
        assert type(value) is float
        values = batch.step(np.array([action, action]))[1]
        assert values.dtype == np.float64
        assert values.tolist() == [value, value]
        rewards.append(value)
    return rewards


@pytest.mark.parametrize("reward", REWARDS)
def test_games_earn_what_the_table_says(reward):
    def expected(*keys):
        return pytest.approx([EARNED[reward][key] for key in keys])

    won = earned(reward, [FLAG_LAST, FLOOD, FLOOD, LAST, FLAG_LAST, LAST])
    assert won == expected("flag", "flood", "illegal", "illegal", "flag", "win")
    assert earned(reward, [FLOOD, MINE]) == expected("flood", "loss")
    # A chord on a wrong flag opens safe cells too, and the first click of a tiny board may open all of them.
    assert earned(reward, [1, FLAG_LAST, CHORD])[1:] == expected("flag", "loss")
    assert earned(reward, [1], LAYOUT[:1, :2]) == expected("win_at_once")


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.float32])
def test_a_callable_may_return_numbers_of_any_type(dtype):
    assert earned(lambda transition: np.asarray(transition.opened, dtype), [FLOOD, MINE]) == [float(dtype(6)), 0.0]


def remembering():
    """Returns a list, and a reward that adds the transitions to it: one more than the number of opened cells."""
    seen = []
    return seen, lambda transition: seen.append(transition) or transition.opened + 1


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_callable_sees_the_board_before_the_step_and_whether_the_limit_ended_the_game(mode):
    seen, remember = remembering()
    arguments = {"size": (2, 4), "mines": 1, "first_click": "any", "reward": remember, "max_steps": 3}
    env, batch = MinesweeperEnv(**arguments), MinesweeperVectorEnv(2, **arguments, autoreset_mode=mode)
    board, _ = env.reset(options={"layout": LAYOUT})
    batch.reset(options={"layout": LAYOUT})
    for action in (FLOOD, FLAG_LAST, FLAG_LAST):
        after, _, _, truncated, _ = env.step(action)
        batch.step(np.array([action, MINE]))
        one, two = seen[-2:]
        assert_same([one.previous_codes, one.codes, one.truncated], [board, after, float(truncated)])
        assert_same([two.previous_codes[0], two.codes[0], two.truncated], [board, after, np.array([truncated, 0.0])])
        board = after
    assert truncated


def test_a_callable_sees_the_whole_step():
    seen, remember = remembering()
    env = MinesweeperEnv((2, 4), 1, "any", reward=remember)
    env.reset(options={"layout": LAYOUT})
    rewards = [env.step(action)[1] for action in (FLOOD, FLOOD, MINE)]
    with pytest.warns(UserWarning, match="reset"):
        rewards.append(env.step(MINE)[1])
    assert rewards == [7.0, 1.0, 1.0, 0.0]
    assert type(rewards[0]) is float
    assert [(t.won, t.lost, t.opened, t.illegal, t.action) for t in seen] == [
        (0.0, 0.0, 6, 0.0, FLOOD),
        (0.0, 0.0, 0, 1.0, FLOOD),
        (0.0, 1.0, 0, 0.0, MINE),
    ]
    assert all(t.safe_cells == 7 and t.codes.shape == (2, 4) for t in seen)
    assert type(seen[0].won) is float
    assert type(seen[0].opened) is int


def test_a_callable_gets_arrays_in_the_batch_and_nothing_counts_between_games():
    seen, remember = remembering()
    env = MinesweeperVectorEnv(2, (2, 4), 1, "any", reward=remember)
    env.reset(options={"layout": LAYOUT})
    assert env.step(np.array([FLOOD, MINE]))[1].tolist() == [7.0, 1.0]
    assert env.step(np.array([FLOOD, FLOOD]))[1].tolist() == [1.0, 0.0]
    assert seen[0].lost.tolist() == [0.0, 1.0]
    assert seen[0].opened.tolist() == [6, 0]
    assert seen[1].illegal.tolist() == [1.0, 0.0]
    assert seen[0].codes.shape == (2, 2, 4)
    assert seen[0].action.tolist() == [FLOOD, MINE]


ARRAYS = r"gets arrays, and must return numbers of shape \(3,\)"
WRONG = [
    *((3, lambda _, value=value: value, ARRAYS) for value in (2, None, np.zeros(2), np.zeros((3, 1)))),
    (3, lambda step: 1.0 if step.won else 0.0, rf"{ARRAYS}, such as np\.where.*ambiguous"),
    *((None, lambda _, value=value: value, "must return a number") for value in (None, "x", np.zeros(2))),
]


@pytest.mark.parametrize(("count", "reward", "message"), WRONG)
def test_a_callable_is_told_what_to_return(count, reward, message):
    env = MinesweeperEnv(reward=reward) if count is None else MinesweeperVectorEnv(count, reward=reward)
    env.reset(seed=0)
    with pytest.raises(TypeError, match=message):
        env.step(0 if count is None else np.zeros(count, int))
