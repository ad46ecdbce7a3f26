"""Selection of the agent that a training keeps."""

import math
import time

import pytest
from support.tiny_training import one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.learned.common.budget import Budget
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.training.evaluation import REFERENCES, BestAgent, Score, Selection
from baselines.support.files import read_json


def test_the_standard_error_is_that_of_the_mean_over_the_boards():
    one = Score({"8x8/14": 0.64}, 100)
    assert one.win_rate == 0.64
    assert one.standard_error == pytest.approx(0.048)
    two = Score({"8x8/14": 0.64, "5x5/5": 0.8}, 100)
    assert two.win_rate == pytest.approx(0.72)
    assert two.standard_error == pytest.approx(math.hypot(0.048, 0.04) / 2)


def test_an_agent_may_lose_a_standard_error_and_no_more():
    score = Score({"8x8/14": 0.64}, 100)
    assert score.is_as_good_as(0.5)
    assert score.is_as_good_as(0.687)
    assert not score.is_as_good_as(0.689)


def test_of_two_perfect_agents_the_later_one_is_kept():
    assert Score({"8x8/14": 1.0}, 100).is_as_good_as(1.0)


def test_the_last_agent_that_is_good_enough_is_kept(tmp_path):
    """The bound is one standard error below the highest rate so far, so it never sinks."""
    best = BestAgent(tmp_path, tiny("dqn"))
    network = BoardNetwork.of_size(best.settings.network)
    kept = []
    for steps, rate in enumerate((0.30, 0.50, 0.46, 0.44, 0.41, 0.80, 0.77, 0.75)):
        best.offer(network, Score({"4x5/2": rate}, 100), steps, "")
        kept.append(read_json(tmp_path / "agent.json")["selected_by"]["win_rate"])
    assert kept == [0.30, 0.50, 0.46, 0.46, 0.46, 0.80, 0.77, 0.77]


def test_reference_games_are_played_once_and_only_when_they_are_needed(capsys, monkeypatch):
    selection = Selection(tiny("dqn"))
    assert selection.references == {}
    selection.play_references()
    assert list(selection.references["4x5/2"]) == list(REFERENCES)
    said = capsys.readouterr().err.splitlines()
    assert said == [f"Play the 5 selection games of 4x5/2 with {name}, for comparison" for name in REFERENCES]
    monkeypatch.setattr(selection, "_reference_rates", None)
    selection.play_references()


def test_known_references_of_a_checkpoint_are_not_played_again(capsys):
    known = {"4x5/2": {"random": 0.1}}
    selection = Selection(tiny("dqn"), known)
    selection.play_references()
    assert selection.references == known
    assert capsys.readouterr().err == ""


def test_a_paused_budget_does_not_age():
    budget = Budget(seconds=100.0)
    before = budget.elapsed()
    with budget.paused():
        time.sleep(0.05)
    assert budget.elapsed() - before < 0.05
