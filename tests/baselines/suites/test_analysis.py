"""Results of a suite from its games: scores, flags and pairs by hand, tables and plots of any outcome."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.image import imread
from support.tiny_suites import TINY

from baselines.evaluation.intervals import mean_interval, wilson_interval
from baselines.evaluation.records import GameRecord
from baselines.suites.analysis import analyse
from baselines.suites.definitions import SUITES
from baselines.suites.parts import Part
from baselines.suites.tables import csv_text, markdown, plot
from baselines.suites.tasks import LeftOut, Task
from minesweeper_env import BoardConfig

CONFIG = BoardConfig(4, 4, 6, "any", ("click",))
ONE_BOARD = replace(TINY, boards=(CONFIG,))


def results(suite, *rows, left_out=(), games=4):
    """Returns the content of results.json for rows (policy, moves, start, records, counters) on one board."""
    tasks = [
        Task(policy, replace(CONFIG, moves=moves), len(records), 2, start) for policy, moves, start, records, _ in rows
    ]
    parts = [[Part(0, tuple(records), 0.25, counters)] for *_, records, counters in rows]
    return analyse(suite, tasks, parts, left_out, seed=0, games=games, command="python evaluate.py")


def row(policy, wins, counters=None, **changes):
    """A policy whose game i is won if wins[i]."""
    records = [GameRecord(i, won, 5, False, opened=10 if won else 3) for i, won in enumerate(wins)]
    return policy, changes.get("moves", ("click",)), changes.get("start"), records, counters or {}


def test_scores_count_cells_and_leave_the_first_click_apart():
    records = [
        GameRecord(0, True, 9, False, opened=10),
        # The first click won at once, and it was cut short: neither is lost by the first click.
        GameRecord(1, True, 1, False, opened=10),
        GameRecord(2, False, 1, True, opened=4),
        GameRecord(3, False, 1, False, opened=0),
        GameRecord(4, False, 6, False, opened=7),
        GameRecord(5, False, 1, False, opened=0),
    ]
    suite = replace(ONE_BOARD, scored=True)
    content = results(suite, ("random", ("click",), None, records, {"guesses": 9}), games=6)
    (found,) = content["boards"][0]["results"]
    assert (found["first_click_losses"], found["survived"]) == (2, 4)
    assert found["survived_win_rate"] == 0.5
    assert found["survived_ci95"] == list(wilson_interval(2, 4))
    assert found["score"] == pytest.approx((20 + 20 + 4 + 7) / 6)
    assert found["score_ci95"] == list(mean_interval([20, 20, 4, 0, 7, 0]))
    assert found["score_lost"] == pytest.approx(5.5)
    assert found["score_lost_ci95"] == list(mean_interval([4, 7]))
    assert found["guesses_per_game"] == 1.5
    assert found["opened_per_game"] == pytest.approx(31 / 6)


def test_scores_of_games_that_are_all_lost_at_once():
    records = [GameRecord(i, False, 1, False) for i in range(4)]
    content = results(replace(ONE_BOARD, scored=True), ("random", ("click",), None, records, {}))
    (found,) = content["boards"][0]["results"]
    assert (found["survived_win_rate"], found["survived_ci95"]) == (None, None)
    assert (found["score"], found["score_ci95"]) == (0.0, [0.0, 0.0])
    assert (found["score_lost"], found["score_lost_ci95"]) == (None, None)


def test_flags_on_the_mines_are_counted_beside_the_wins():
    records = [GameRecord(i, i == 0, 5, False, 10, marked=i < 3) for i in range(4)]
    flags = ("click", "flag")
    content = results(ONE_BOARD, ("random", flags, None, records, {}), row("subset", [1, 0, 1, 0]))
    found, other = content["boards"][0]["results"]
    assert (found["wins"], found["marked"], found["marked_rate"]) == (1, 3, 0.75)
    assert found["marked_ci95"] == list(wilson_interval(3, 4))
    assert "marked" not in other
    # Other moves do not make other games, so the two are compared.
    assert found["mcnemar"]["against"] == "subset"


def test_every_two_policies_meet_if_asked_for():
    rows = [row("a", [1, 1, 0, 1]), row("b", [0, 0, 0, 1]), row("c", [0, 1, 1, 0]), row("d", [1, 1, 1, 1], start="x:y")]
    for paired, expected in (
        ("next", {("b", "c"), ("c", "a")}),
        ("all", {("b", "c"), ("c", "a"), ("b", "a")}),
    ):
        (board,) = results(replace(ONE_BOARD, paired=paired), *rows)["boards"]
        assert {(test["policy"], test["against"]) for test in board["comparisons"]} == expected
        against = {each["policy"]: each["mcnemar"] and each["mcnemar"]["against"] for each in board["results"]}
        assert against == {"a": None, "b": "c", "c": "a", "d": None}
        (test,) = [test for test in board["comparisons"] if test["policy"] == "c"]
        assert (test["games"], test["won_alone"], test["lost_alone"]) == (4, 1, 2)


def test_every_policy_meets_the_one_that_is_named():
    rows = [row("a", [1, 1, 0, 1]), row("b", [0, 0, 0, 1]), row("c", [0, 1, 1, 0]), row("d", [1, 1, 1, 1], start="x:y")]
    content = results(replace(ONE_BOARD, paired="c"), *rows)
    (board,) = content["boards"]
    against = {each["policy"]: each["mcnemar"] and each["mcnemar"]["against"] for each in board["results"]}
    assert against == {"a": "c", "b": "c", "c": None, "d": None}
    (test,) = [test for test in board["comparisons"] if test["policy"] == "a"]
    assert (test["games"], test["won_alone"], test["lost_alone"]) == (4, 2, 1)
    assert "p: exact McNemar test against c on the same games." in content["notes"]


def test_a_policy_of_fewer_games_meets_the_named_one_on_these_games_alone():
    rows = [row("a", [0, 1]), row("b", [0, 0, 0, 1]), row("c", [1, 0, 1, 1])]
    content = results(replace(ONE_BOARD, paired="c"), *rows)
    tests = {test["policy"]: test for test in content["boards"][0]["comparisons"]}
    assert (tests["a"]["games"], tests["a"]["won_alone"], tests["a"]["lost_alone"]) == (2, 1, 1)
    assert tests["b"]["games"] == 4
    assert "a is slow, played only the first 2 of 4 games, and is compared on these." in content["notes"]


def test_a_policy_of_fewer_games_has_no_place_among_the_ranks():
    rows = [row("a", [0, 1]), row("b", [0, 0, 0, 1]), row("c", [1, 0, 1, 1])]
    content = results(ONE_BOARD, *rows)
    assert [test["policy"] for test in content["boards"][0]["comparisons"]] == ["b"]
    (note,) = [note for note in content["notes"] if note.startswith("a is slow")]
    assert note.endswith("compared with none that played more.")


def test_notes_say_what_is_missing():
    left_out = [LeftOut("optimal", config, f"{config.rows} rows are too many") for config in TINY.boards]
    records = [GameRecord(i, False, 40, True) for i in range(2)]
    content = results(ONE_BOARD, ("random", ("click",), None, records, {}), left_out=left_out)
    assert "optimal does not play on 4x5/4, 6x6/5: 4 rows are too many." in content["notes"]
    assert "random on 4x4/6 reached the step limit in 2 games, which count as not won." in content["notes"]


def full_content(suite):
    """Returns results of a suite: some policies win every game, some none, and one plays on a single board."""
    rng = np.random.default_rng(0)
    tasks, parts = [], []
    for i, board in enumerate(suite.boards):
        for j, entry in enumerate(suite.entries):
            if j == len(suite.entries) - 1 and i > 0:
                continue
            games = 1 if i == j else 30
            moves = ("click", "flag") if entry.start else ("click",)
            tasks.append(Task(entry.policy, replace(board, moves=moves), games, 10, entry.start))
            won = rng.random(games) < (j - 1) / 2
            records = [GameRecord(g, bool(w), 1 + g, False, 5 * g, bool(w)) for g, w in enumerate(won)]
            parts.append([Part(0, tuple(records), rng.random(), {"queries": 5, "guesses": 3})])
    return analyse(suite, tasks, parts, [], seed=0, games=30, command="python -m baselines suite x")


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_has_tables_and_a_plot(name):
    suite = SUITES[name]
    content = full_content(suite)
    tables = len(suite.boards) * (2 if suite.paired == "all" else 1) + (len(suite.boards) > 1)
    assert markdown(suite, content).count("\n## ") == tables
    assert csv_text(content).count("\n") == 1 + sum(len(board["results"]) for board in content["boards"])
    picture = imread(io.BytesIO(plot(content)))
    assert picture.shape[0] > 300
    assert picture.shape[1] > 800
    assert (picture[..., :3] != 1.0).any(axis=2).mean() > 0.005
