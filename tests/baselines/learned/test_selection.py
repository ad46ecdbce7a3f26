"""Selection of the agent that a training keeps."""

import math
import time
from contextlib import closing

import pytest
from support.tiny_training import one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.learned.common.budget import Budget
from baselines.learned.training import loop
from baselines.learned.training.evaluation import REFERENCES, Score
from baselines.learned.training.files import Log
from baselines.learned.training.loop import prepare
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


@pytest.fixture
def begun(tmp_path):
    """A training that has played nothing yet, and its log."""
    training = prepare(tiny("dqn"), tmp_path)
    with closing(Log(tmp_path)) as log:
        next(training.learner.rounds(training.budget, log))
        yield training, log


def test_the_last_agent_that_is_good_enough_is_kept(begun, monkeypatch):
    """The bound is one standard error below the highest rate so far, so it never sinks."""
    (training, log), kept = begun, []
    for rate in (0.30, 0.50, 0.46, 0.44, 0.41, 0.80, 0.77, 0.75):
        monkeypatch.setattr(loop, "play_selection", lambda *_, rate=rate: Score({"4x5/2": rate}, 100))
        training.evaluate(log, compares=False)
        kept.append(read_json(training.folder / "agent.json")["selected_by"]["win_rate"])
    assert kept == [0.30, 0.50, 0.46, 0.46, 0.46, 0.80, 0.77, 0.77]


def test_reference_games_are_played_once(begun, capsys):
    training, log = begun
    assert training.progress.references is None
    training.evaluate(log)
    assert list(training.progress.references["4x5/2"]) == list(REFERENCES)
    said = capsys.readouterr().err.splitlines()
    assert said == [f"Play the 5 selection games of 4x5/2 with {name}, for comparison" for name in REFERENCES]
    training.evaluate(log)
    assert capsys.readouterr().err == ""


def test_a_paused_budget_does_not_age():
    budget = Budget(seconds=100.0)
    before = budget.elapsed()
    with budget.paused():
        time.sleep(0.05)
    assert budget.elapsed() - before < 0.05
