"""Results of a suite: scores, flags and pairs by hand; tables and plots of any outcome and of the published results."""

import io
import json
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from matplotlib.image import imread
from support import ROOT
from support.tiny_suites import BOARDS, TINY

from baselines.benchmark.report import content_of, fill, markdown, plot, scores
from baselines.benchmark.run import Refusal, Task
from baselines.benchmark.suites import Entry, find_suite
from baselines.evaluation.games import GameRecord
from baselines.evaluation.intervals import mean_interval, wilson_interval
from baselines.evaluation.plot import family_of
from baselines.evaluation.results import PolicyResult, config_row
from baselines.evaluation.units import Assignment
from baselines.registry import OTHERS, SCRIPTED
from baselines.tables import Page
from minesweeper_env import BoardConfig

CONFIG = BoardConfig(4, 4, 6, "any", ("click",))


def row(policy, wins, moves=("click",), start=None, **counters):
    """A policy whose game i is won if wins[i]; its flags were on the mines in the games 0 to 2."""
    games = Assignment(policy, Mock(), replace(CONFIG, moves=moves), range(len(wins)))
    records = tuple(GameRecord(i, bool(won), 5, False, 10 if won else 3, i < 3) for i, won in enumerate(wins))
    task = Task("tiny", Entry(policy, start=start), CONFIG, games)
    return task, PolicyResult(policy, records, 0.25, 0.25, counters)


def results(paired, *played, scored=False):
    """Returns the content of results.json for policies on one board."""
    suite = replace(TINY, groups=(replace(TINY.groups[0], boards=(CONFIG,), paired=paired, scored=scored),))
    refused = [Refusal("tiny", Entry("optimal"), board, "too large") for board in BOARDS]
    return content_of(SimpleNamespace(suite=suite, refused=refused, seeds=range(4), command="suite"), played)


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
    found = scores(records)
    assert (found["first_click_losses"], found["survived"], found["survived_win_rate"]) == (2, 4, 0.5)
    assert (found["score"], found["score_lost"]) == (pytest.approx((20 + 20 + 4 + 7) / 6), pytest.approx(5.5))
    assert found["survived_ci95"] == list(wilson_interval(2, 4))
    assert found["score_ci95"] == list(mean_interval([20, 20, 4, 0, 7, 0]))
    assert found["score_lost_ci95"] == list(mean_interval([4, 7]))
    lost = scores([GameRecord(i, False, 1, False) for i in range(4)])
    unknown = ("survived_win_rate", "survived_ci95", "score_lost", "score_lost_ci95")
    assert [lost[name] for name in (*unknown, "score", "score_ci95")] == [None] * 4 + [0.0, [0.0, 0.0]]


def test_flags_on_the_mines_are_counted_beside_the_wins():
    content = results("next", row("random", [1, 0, 0, 0], ("click", "flag")), row("subset", [1, 0, 1, 0], guesses=6))
    found, other = content["boards"][0]["results"]
    assert (found["wins"], found["marked"], found["marked_rate"]) == (1, 3, 0.75)
    assert found["marked_ci95"] == list(wilson_interval(3, 4))
    assert "marked" not in other
    assert (other["guesses_per_game"], other["opened_per_game"]) == (1.5, 6.5)
    # Other moves do not make other games, so the two are compared.
    assert found["mcnemar"]["against"] == "subset"


ROWS = (row("a", [1, 1, 0, 1]), row("b", [0, 0, 0, 1]), row("c", [0, 1, 1, 0]), row("d", [1, 1, 1, 1], start="x:y"))


@pytest.mark.parametrize(
    ("paired", "pairs"), [("next", {"bc", "ca"}), ("all", {"bc", "ca", "ba"}), ("c", {"ac", "bc"})]
)
def test_policies_of_the_same_games_meet(paired, pairs):
    content = results(paired, *ROWS)
    (board,) = content["boards"]
    assert {test["policy"] + test["against"] for test in board["comparisons"]} == pairs
    tests = {each["policy"]: each["mcnemar"] for each in board["results"]}
    assert tests["d"] is None
    assert (tests["b"]["against"], tests["b"]["games"]) == ("c", 4)
    test = tests["a" if paired == "c" else "c"]
    assert (test["won_alone"], test["lost_alone"]) == ((2, 1) if paired == "c" else (1, 2))
    assert "optimal does not play on 4x5/4, 6x6/5: too large." in content["notes"]
    assert ("each two policies" in markdown(content)) == (paired == "all")


def test_a_policy_of_fewer_games_meets_a_reference_but_has_no_place_among_the_ranks():
    for paired, games in (("c", {"a": 2, "b": 4}), ("next", {"b": 4})):
        content = results(paired, row("a", [0, 1]), row("b", [0, 0, 0, 1]), row("c", [1, 0, 1, 1]))
        assert {test["policy"]: test["games"] for test in content["boards"][0]["comparisons"]} == games
        assert "a is slow, and played only the first 2 of 4 games." in content["notes"]


def test_games_that_reached_the_step_limit_are_named():
    task, result = row("random", [0, 0])
    cut = tuple(each._replace(truncated=True) for each in result.records)
    content = results("next", (task, replace(result, records=cut)))
    assert "random on 4x4/6 any reached the step limit in 2 games, which count as not won." in content["notes"]


def test_all_won_and_all_lost_have_tables_and_a_plot():
    content = results("all", row("a", [0] * 30), row("b", [1] * 30), row("c", [1]), scored=True)
    assert markdown(content).count("\n## ") == 1
    picture = imread(io.BytesIO(plot(content)))
    assert picture.shape[1] > 800
    assert (picture[..., :3] != 1.0).any(axis=2).mean() > 0.005


PUBLISHED = [path for path in sorted((ROOT / "docs/results").glob("*.json")) if b'"comparisons"' in path.read_bytes()]


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_the_command_of_a_published_result_is_accepted(path):
    content = json.loads(path.read_bytes())
    *_, command, suite = content["command"].partition(" --")[0].split()
    assert command == "suite"
    groups = content["command"].partition("--groups ")[2].split()[:1]
    group, *_ = find_suite(suite).chosen(groups or None, ()).groups
    assert [board["config"] for board in content["boards"]] == [config_row(board) for board in group.boards]


def test_every_scripted_policy_has_a_family_whatever_its_options_and_others_are_learned_or_ones_own():
    for policy in SCRIPTED:
        assert family_of(policy) == family_of(f"{policy}:first=18") != OTHERS
    for policy in ("dqn", "dqn:first=exact", "mine.py:exact", "runs/exact", "chat:model=exact"):
        assert family_of(policy) == OTHERS


def test_equal_win_rates_are_both_marked_and_those_of_fewer_games_are_not():
    page = Page(80)
    fill(page, results("all", row("a", [1, 0] * 15), row("b", [0, 1] * 15), row("c", [1]), row("d", [0] * 30)))
    best = [line.split()[1] for line in page.text().splitlines() if line.startswith("> ") and "highest" not in line]
    assert sorted(best) == ["a", "b"]
