"""Self-play: what games teach in hindsight."""

import numpy as np
import pytest
import torch
from support.tiny_training import one_thread  # noqa: F401 - one_thread is a fixture

from baselines.learned.afterstate.network import COUNTS, AfterstateNetwork
from baselines.learned.afterstate.practice import Replay
from baselines.learned.afterstate.self_play import (
    MINE,
    UNKNOWN,
    AfterstateHyperparameters,
    Lessons,
    SelfPlay,
    finished_contents,
)
from baselines.learned.settings import NetworkSize
from minesweeper_env.config import BoardConfig


def self_play(first_click="opening", searches=True, count=60, **changes):
    torch.manual_seed(0)
    network = AfterstateNetwork(NetworkSize(4, 1)).eval()
    config = BoardConfig(5, 4, 3, first_click=first_click, moves=("click",))
    games = SelfPlay(config, count, AfterstateHyperparameters(**{"keep_min": 1.0, **changes}))
    return games, *games.play(network, np.random.default_rng(1), searches)


def test_contents_are_counts_and_mines():
    mines = np.array([[[True, False, False], [False, False, False]]])
    assert finished_contents(mines).tolist() == [[MINE, 1, 0, 1, 1, 0]]


@pytest.mark.parametrize("searches", [False, True])
def test_lessons_are_what_the_ends_of_the_games_show(searches):
    games, lessons, afterstates = self_play(searches=searches)
    assert games.counters.games == 60
    covered = (lessons.codes > 8).reshape(len(lessons.codes), -1)
    assert (lessons.labels[~covered] == UNKNOWN).all()
    assert (lessons.labels[covered] >= 0).all()
    assert ((lessons.labels == MINE).sum(axis=1) == 3).all()
    assert (lessons.labels < COUNTS + 1).all()
    shown = np.where(covered, lessons.labels, lessons.codes.reshape(covered.shape))
    assert (finished_contents((shown == MINE).reshape(-1, 5, 4)) == shown).all()
    assert ((afterstates.weights > 0) & (afterstates.targets >= 0) & (afterstates.targets <= 1)).all()
    assert (afterstates.codes <= 8).any(axis=(1, 2)).all()


def test_a_covered_board_teaches_the_first_click_alone():
    _, lessons, _ = self_play("safe", count=200)
    covered = (lessons.codes > 8).all(axis=(1, 2))
    known = lessons.labels[covered] != UNKNOWN
    assert covered.any()
    assert (known.sum(axis=1) == 1).all()
    assert (lessons.labels[covered].max(axis=1) < MINE).all()
    _, lessons, _ = self_play("opening", count=200)
    assert not (lessons.codes > 8).all(axis=(1, 2)).any()


def test_the_same_seed_plays_the_same_games():
    one, other = (self_play()[1:] for _ in range(2))
    for mine, theirs in zip([*one[0], *one[1]], [*other[0], *other[1]], strict=True):
        np.testing.assert_array_equal(mine, theirs)


def numbered(numbers):
    codes = np.array(numbers, np.int8)[:, None, None].repeat(2, axis=1)
    return Lessons(codes, codes[:, :, 0])


def test_the_replay_buffer_keeps_the_last_boards():
    replay = Replay(5, numbered([]))
    for numbers in ([1, 2], [3, 4, 5, 6], list(range(7, 20))):
        replay.add(numbered(numbers))
    assert (replay.size, replay.added) == (5, 19)
    drawn = replay.draw(200, np.random.default_rng(0))
    assert set(drawn.codes[:, 0, 0].tolist()) == {15, 16, 17, 18, 19}
    assert (drawn.codes[:, 0, 0] == drawn.labels[:, 0]).all()
    restored = Replay(5, numbered([]))
    restored.restore(replay.save())
    np.testing.assert_array_equal(
        restored.draw(50, np.random.default_rng(2)).labels, replay.draw(50, np.random.default_rng(2)).labels
    )
