"""Display of a training: the panel at the widths of terminals, plain lines elsewhere, and what it leaves."""

import sys
from types import SimpleNamespace

import pytest
from support.screens import Screen
from support.tiny_training import one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.learned.settings import Budget
from baselines.learned.training.loop import line, panel, show, train
from baselines.learned.training.selection import Score
from baselines.learned.training.state import Training, TrainingState

BOARDS = ("5x5/5", "8x8/14", "9x9/10", "16x16/40", "16x30/99")
KEPT = {"steps": 112_000, "win_rate": 0.62}
REFERENCES = {"random": 0.0, "exact": 0.674, "lookahead": 0.702}


@pytest.fixture
def now(monkeypatch):
    """The present time, as a list of one number."""
    time = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: time[0])
    return time


def training(now, elapsed=412.0, steps=123_456, minutes=None, boards=("8x8/14",)):
    """Returns a training of so many seconds that has not been evaluated."""
    settings = tiny("dqn", boards=boards, steps=1_000_000, eval_games=500)
    budget = Budget(None if minutes else 1_000_000, 60 * minutes if minutes else None, _start=now[0] - elapsed)
    return Training(settings, None, SimpleNamespace(num_timesteps=steps), budget, TrainingState(0, 0, None, 0, None))


def evaluated(now, rates=(0.612,), boards=("8x8/14",), **options):
    made = training(now, boards=boards, **options)
    made.score, made.done = Score(dict(zip(boards, rates, strict=True)), 500), 4
    made.progress.kept, made.progress.references = KEPT, dict.fromkeys(boards, REFERENCES)
    return made


def test_a_line_has_the_figures_of_the_training(now):
    assert line(training(now, 0.5, 100)) == "0%, step 100 of 1000000, time left not known yet"
    told = line(evaluated(now))
    assert told.startswith("12%, step 123456 of 1000000, 300 steps a second, 49 min left")
    assert all(each in told for each in ("61.2% ±4.3", "random 0.0% ±0.8", "exact 67.4% ±4.2", "lookahead 70.2% ±4.2"))


@pytest.mark.parametrize("width", [40, 60, 79, 99, 159])
def test_no_width_costs_a_win_rate(now, width):
    several = evaluated(now, (0.802, 0.667, 0.959, 0.857, 0.453), BOARDS, minutes=75)
    text = panel(several, width).text()
    assert max(map(len, text.splitlines())) <= width
    assert all(rate in text for rate in ("80.2%", "66.7%", "95.9%", "85.7%", "45.3%", "74.8%"))


def test_a_line_every_ten_seconds_and_after_each_evaluation_where_there_is_no_terminal(now, capsys):
    shown, other = training(now), evaluated(now)
    with show(shown, True) as after_round:
        after_round()
        assert capsys.readouterr().err == ""
        shown.score = other.score
        after_round(at_once=True)
        after_round()
        assert capsys.readouterr().err.count("wins 61.2%") == 1
        now[0] += 10.1
        after_round()
        assert capsys.readouterr().err.count("\n") == 1
    with show(shown, False) as after_round:
        now[0] += 20.0
        after_round(at_once=True)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("terminal", ["xterm", "dumb"])
def test_a_training_leaves_its_last_state_on_the_terminal(tmp_path, monkeypatch, terminal):
    screen = Screen(80 if terminal == "xterm" else 200)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", terminal)
    train(tiny("dqn", steps=200), tmp_path)
    assert sys.stderr is screen
    if terminal == "dumb":
        assert "\x1b" not in screen.getvalue()
        assert "wins " in screen.getvalue()
        return
    above, _, shown = screen.text.partition("dqn on 4x5/2: step ")
    assert all(line.startswith("Play the 5 selection games") for line in above.splitlines())
    lines = shown.splitlines()
    assert "100%" in lines[1]
    assert sum(line.startswith("4x5/2 wins ") for line in lines) == 1
    assert any(line.startswith("kept: the agent of step ") for line in lines)
    assert "next evaluation" not in shown
