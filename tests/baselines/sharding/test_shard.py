"""Shards: their names, and the games and items that belong to each."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.sharding.shard import WHOLE, Shard
from baselines.suites.tasks import Task
from minesweeper_env import BoardConfig

CONFIG = BoardConfig(4, 5, 4, "safe", ("click",))

TASKS = st.lists(st.tuples(st.integers(1, 200), st.integers(1, 60)), max_size=30).map(
    lambda sizes: [Task("random", CONFIG, games, batch_size) for games, batch_size in sizes]
)


@pytest.mark.parametrize(("text", "shard"), [("1/1", (1, 1)), ("2/4", (2, 4)), ("100000/100000", (100000, 100000))])
def test_names_of_shards(text, shard):
    assert Shard.parse(text) == shard
    assert str(Shard.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "x", "0/4", "5/4", "1/0", "-1/4", "1/-4", "1/2/3", "1", "1/", "/4", "1.0/4", " 1/4", "1/4\n", "1/100001"],
)
def test_other_texts_name_no_shard(text):
    with pytest.raises(ValueError, match=r"a shard is I/N with I from 1 to N, such as 2/4, and N at most 100000, not "):
        Shard.parse(text)


@given(TASKS, st.integers(1, 12))
def test_the_shards_are_all_games_once_in_whole_batches_and_even(tasks, of):
    shares = [Shard(number, of).of_games(tasks) for number in range(1, of + 1)]
    for number, task in enumerate(tasks):
        played = sorted(chain.from_iterable(share[number] for share in shares))
        assert played == list(range(task.games))
        for share in shares:
            assert share[number].start % task.batch_size == 0
            assert share[number].stop % task.batch_size == 0 or share[number].stop == task.games
    batches = [
        sum(-(-len(games) // task.batch_size) for games, task in zip(share, tasks, strict=True)) for share in shares
    ]
    assert max(batches) - min(batches) <= 1


def test_the_whole_is_every_game():
    tasks = [Task("random", CONFIG, 45, 20), Task("exact", CONFIG, 3, 1)]
    assert WHOLE.of_games(tasks) == [range(45), range(3)]


@given(st.integers(0, 40), st.integers(1, 12))
def test_items_are_dealt_out(count, of):
    hands = [Shard(number, of).of_items(range(count)) for number in range(1, of + 1)]
    assert sorted(chain.from_iterable(hands)) == list(range(count))
    assert max(map(len, hands)) - min(map(len, hands)) <= 1
