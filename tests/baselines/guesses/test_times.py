"""Time of play, in blocks that alternate between policies."""

from __future__ import annotations

from baselines.guesses.times import times_on


def test_policies_play_the_same_number_of_games_and_the_first_one_is_the_measure():
    rows = times_on("4x5/5:safe", ["exact", "lookahead"], 0, 150)
    assert [(row["policy"], row["games"]) for row in rows] == [("exact", 200), ("lookahead", 200)]
    assert (rows[0]["ratio"], rows[0]["median_ratio"]) == (1.0, 1.0)
    assert rows[1]["ratio"] > 1.0
    assert all(row["longest_call"] > 0.0 for row in rows)


def test_one_game_at_once_plays_as_many_games():
    (row,) = times_on("4x5/5:safe", ["exact"], 0, 100, at_once=1)
    assert row["games"] == 100
