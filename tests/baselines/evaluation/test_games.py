"""Records of games: opened cells, correct flags, given starts, and counters."""

from functools import partial

import numpy as np
import pytest

from baselines.evaluation.evaluate import evaluate_policy
from baselines.evaluation.games import GameRecord, Start, play_games
from baselines.evaluation.results import PolicyResult
from baselines.evaluation.units import Assignment
from baselines.registry import find_policy
from minesweeper_env import BoardConfig

ROWS, COLS = 3, 4
LAYOUT = np.array([[1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]], np.bool_)
"""A click on the cell 8 opens the two lower rows; then the cells 1 and 2 are left."""
START = Start(LAYOUT, 8)


def flag(cell: int) -> int:
    return ROWS * COLS + cell


def config(max_steps: int | None = None, moves: tuple[str, ...] = ("click", "flag")) -> BoardConfig:
    return BoardConfig(ROWS, COLS, 2, "any", moves, max_steps=max_steps)


class Script:
    """Makes the same moves in every game, and counts them."""

    def __init__(self, *actions: int) -> None:
        self.actions = actions
        self.counters = {"moves": 0, "resets": 0, "new": 0}
        self.boards: list[np.ndarray] = []

    def reset(self, _seed: int) -> None:
        self.counters["resets"] += 1
        self.counters["new"] = 0
        self.left = list(self.actions)

    def act(self, observations, _action_masks):
        self.boards.append(observations)
        for name in ("moves", "new"):
            self.counters[name] += len(observations)
        return np.full(len(observations), self.left.pop(0))


def play(actions, games=1, **settings) -> list[GameRecord]:
    policy = Script(*actions)
    policy.reset(0)
    return play_games(policy, config(**settings), range(games), starts=[START] * games)


@pytest.mark.parametrize(
    ("actions", "won", "opened", "marked"),
    [
        ([1, 2], True, 10, False),
        ([1, 0], False, 9, False),
        ([flag(0), 1, 2], True, 10, False),
        ([flag(0), flag(3), 1, 2], True, 10, True),
        # The last safe cell and a mine end the game, so later flags do not count.
        ([flag(3), flag(1), flag(1), flag(0), flag(0), 0], False, 8, True),
        # Flags come and go: first three, then two, one of them wrong.
        ([flag(1), flag(0), flag(3), flag(3), flag(1), 1, 2], True, 10, False),
    ],
)
def test_records_tell_opened_cells_and_flags(actions, won, opened, marked):
    expected = GameRecord(0, won, len(actions) + 1, False, opened=opened, marked=marked)
    assert play(actions, 3) == [expected._replace(seed=seed) for seed in range(3)]


def test_the_step_limit_counts_the_given_click_and_without_flags_nothing_is_marked():
    (record,) = play([flag(1), flag(0), flag(3)], max_steps=4)
    assert record == GameRecord(0, False, 4, True, opened=8, marked=False)
    assert not play([1, 2], moves=("click",))[0].marked


def test_given_starts_are_what_is_played():
    """Each game has its own layout and first cell; the seeds then decide nothing."""
    mirrored = Start(LAYOUT[::-1], 1)
    policy = Script([2, 9])
    policy.reset(0)
    seen = []
    records = play_games(
        policy,
        config(max_steps=2),
        [7, 7],
        observers=[lambda _games, boards, actions, _lost: seen.append((boards, actions))],
        starts=[START, mirrored],
    )
    assert [record.opened for record in records] == [9, 9]
    assert [actions.tolist() for _, actions in seen] == [[8, 1], [2, 9]]
    assert (seen[0][0] == config().codes.hidden).all()
    (first,) = policy.boards
    assert (first[0] <= 8).tolist() == [[False] * 4, [True] * 4, [True] * 4]
    assert (first[1] <= 8).tolist() == [[True] * 4, [True] * 4, [False] * 4]


def test_a_first_click_on_a_mine_loses_and_layouts_that_do_not_fit_are_refused():
    policy = Script()
    (record,) = play_games(policy, config(), [0], starts=[Start(LAYOUT, 3)])
    assert record == GameRecord(0, False, 1, False)
    assert policy.boards == []
    for layout, complaint in ((~LAYOUT, "2 mines, not 10"), (LAYOUT.T, "a bool array of shape")):
        with pytest.raises(ValueError, match=f"layout must (have|be) {complaint}"):
            play_games(Script(), config(), [0], starts=[Start(layout, 0)])


def test_assignments_take_starts_and_add_up_counters():
    """Games with even seeds are lost at once, so the policy plays the odd ones only."""
    starts = {"batch_size": 10, "start": lambda seed: START if seed % 2 else Start(LAYOUT, 3)}
    task = Assignment("", partial(Script, 1, 2), config(), range(50), **starts)
    part = task.play(task.build(), 0, 50)
    assert [record.won for record in part.records] == [False, True] * 25
    assert part.counters == {"moves": 50, "resets": 5, "new": 50}  # `reset` begins one of them anew.
    row = PolicyResult("", part.records, counters=part.counters).row()
    assert (row["moves_per_game"], row["resets_per_game"]) == (1.0, 0.1)


def test_games_are_recorded_and_judged_at_once():
    board = BoardConfig(6, 6, 6, "opening", ("click",))
    play = partial(evaluate_policy, partial(find_policy("random"), board), board, range(5), diagnose=True)
    both, judged = play(record=True).records, play().records
    assert all(record.actions for record in both)
    assert [record._replace(actions=b"") for record in both] == judged
