"""Display of a training: the panel at the widths of terminals, plain lines elsewhere, and what it leaves."""

from __future__ import annotations

import sys
from contextlib import suppress

import pytest
from support.screens import Screen
from support.tiny_training import tiny

from baselines.learned.common.budget import Budget
from baselines.learned.training.console import TrainingPanel, View, panel, plain_line
from baselines.learned.training.evaluation import Score
from baselines.learned.training.loop import train

REFERENCES = {"8x8/14": {"random": 0.0, "exact": 0.674, "lookahead": 0.702}}
BOARDS = ("5x5/5", "8x8/14", "9x9/10", "16x16/40", "16x30/99")
KEPT = {"steps": 112_000, "win_rate": 0.62}

FIRST = """\
dqn on 8x8/14: step 23456 of 1000000
╸                                           2%  40 s, time left not known yet
first evaluation at step 100000
time: environment 12%, inference 20%, update 68%"""

EVALUATING = """\
dqn on 8x8/14: step 99999 of 1000000, 312 steps a second
━━━╸                                       10%  7 min, 48 min left
evaluating since 12 s
time: environment 12%, inference 20%, update 68%"""

EVALUATED = """\
dqn on 8x8/14: step 123456 of 1000000, 312 steps a second
━━━━╸                                      12%  7 min, 47 min left
board   win rate   95 % interval  random  exact  lookahead
──────────────────────────────────────────────────────────
8x8/14     61.2%  56.9% to 65.4%    0.0%  67.4%      70.2%
500 selection games on each board; next evaluation in 4 min
kept: the agent of step 112000, which won 62.0%
time: environment 12%, inference 20%, update 68%"""

SEVERAL = """\
dqn on 5x5/5, 8x8/14, 9x9/10, 16x16/40, 16x30/99: step 123456, 312 steps a
second
━━━╸                                        9%  7 min, 68 min left
board     win rate   95 % interval  random  exact  lookahead
────────────────────────────────────────────────────────────
5x5/5        80.2%  76.5% to 83.5%    1.0%  70.0%      75.0%
8x8/14       66.7%  62.6% to 70.8%    1.0%  70.0%      75.0%
9x9/10       95.9%  93.9% to 97.4%    1.0%  70.0%      75.0%
16x16/40     85.7%  82.3% to 88.4%    1.0%  70.0%      75.0%
16x30/99     45.3%  40.9% to 49.6%    1.0%  70.0%      75.0%
mean         74.8%  73.2% to 76.3%    1.0%  70.0%      75.0%
500 selection games on each board; next evaluation in 8 min
kept: the agent of step 112000, which won 62.0%
time: environment 12%, inference 20%, update 68%"""


@pytest.fixture
def now(monkeypatch):
    """The present time, as a list of one number."""
    time = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: time[0])
    return time


def view(now, elapsed=412.0, steps=123_456, minutes=None, **changes) -> View:
    budget = Budget(None if minutes else 1_000_000, 60 * minutes if minutes else None, _start=now[0] - elapsed)
    fractions = {"environment": 0.12, "inference": 0.2, "update": 0.68}
    return View("dqn on 8x8/14", budget, steps, None, {}, None, 0.2, fractions, None, 0.0)._replace(**changes)


def evaluated(now, **changes) -> View:
    return view(now, score=Score({"8x8/14": 0.612}, 500), references=REFERENCES, kept=KEPT, **changes)


def several(now) -> View:
    score = Score(dict(zip(BOARDS, (0.802, 0.667, 0.959, 0.857, 0.453), strict=True)), 500)
    references = {board: {"random": 0.01, "exact": 0.7, "lookahead": 0.75} for board in BOARDS}
    title = f"dqn on {', '.join(BOARDS)}"
    return view(now, minutes=75, title=title, score=score, references=references, kept=KEPT)


def test_the_panel_at_80_columns(now):
    first = view(now, 40, 23_456, next_evaluation=0.1)
    assert panel(first, None, 79).text() == FIRST
    assert panel(view(now, steps=99_999, evaluating=12.0), 312.4, 79).text() == EVALUATING
    assert panel(evaluated(now), 312.4, 79).text() == EVALUATED
    assert panel(several(now), 312.4, 79).text() == SEVERAL


@pytest.mark.parametrize("width", [40, 60, 79, 99, 159])
def test_no_width_costs_a_win_rate(now, width):
    lines = panel(several(now), 312.4, width).text().splitlines()
    assert max(map(len, lines)) <= width
    for rate in ("80.2%", "66.7%", "95.9%", "85.7%", "45.3%", "74.8%"):
        assert any(rate in line for line in lines)


def test_a_budget_in_minutes_says_when_the_first_evaluation_comes(now):
    lines = panel(view(now, 60, 100, minutes=45, next_evaluation=0.1), None, 79).text().splitlines()
    assert lines[1].endswith("2%  60 s, 44 min left")
    assert lines[2] == "first evaluation in 4 min"


def test_an_evaluation_that_is_due_waits_for_the_round(now):
    text = panel(view(now, 300, 100, minutes=45, next_evaluation=0.1), None, 79).text()
    assert "first evaluation after this round" in text
    assert "0 s" not in text.splitlines()[2]
    late = evaluated(now, minutes=45, elapsed=900.0, next_evaluation=0.2)
    assert "next evaluation after this round" in panel(late, 300.0, 79).text()


def test_the_games_of_scripted_policies_are_named_while_they_are_played(now):
    waiting = view(now, 300, 100, minutes=45, evaluating=12.0, player="exact")
    assert panel(waiting, None, 79).text().splitlines()[2] == (
        "exact plays the selection games for comparison, since 12 s"
    )


def test_plain_lines_have_the_same_figures(now):
    assert plain_line(view(now), None) == "12%, step 123456 of 1000000, time left not known yet"
    assert plain_line(evaluated(now), 312.4) == (
        "12%, step 123456 of 1000000, 312 steps a second, 47 min left, "
        "wins 61.2% (56.9% to 65.4%; random 0.0%, exact 67.4%, lookahead 70.2%)"
    )


def test_the_speed_leaves_out_evaluations_and_the_first_round(now):
    state = [view(now, steps=100)]
    shown = TrainingPanel(lambda: state[0], False)
    assert shown.speed(state[0]) is None
    shown.show()
    now[0] += 40.0
    assert shown.speed(view(now, steps=600, evaluated=30.0)) == 50.0


def test_a_line_every_ten_seconds_and_after_each_evaluation_where_there_is_no_terminal(now, capsys):
    state = [view(now)]
    with TrainingPanel(lambda: state[0], True) as panel:
        panel.show()
        assert capsys.readouterr().err == ""
        state[0] = evaluated(now)
        panel.show()
        panel.show()
        assert capsys.readouterr().err.count("wins 61.2%") == 1
        now[0] += 10.1
        panel.show()
        assert capsys.readouterr().err.count("\n") == 1
    assert capsys.readouterr().err == ""
    with TrainingPanel(lambda: state[0], False) as panel:
        now[0] += 20.0
        panel.show()
    assert capsys.readouterr().err == ""


class Stop(Exception):  # noqa: N818
    """Ends a training from within."""


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [False, True])
def test_a_training_leaves_its_last_state_on_the_terminal(tmp_path, monkeypatch, stopped):
    screen = Screen(80)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")

    def on_checkpoint(steps):
        if stopped and steps > 600:
            raise Stop

    with suppress(Stop):
        train(tiny("dqn"), tmp_path, checkpoint_seconds=0, on_checkpoint=on_checkpoint)
    assert sys.stderr is screen
    above, _, panel = screen.text.partition("dqn on 4x5/2: step ")
    assert all(line.startswith("Play the 5 selection games") for line in above.splitlines())
    lines = panel.splitlines()
    assert sum(line.startswith("4x5/2  ") for line in lines) == 1
    assert any(line.startswith("kept: the agent of step ") for line in lines)
    assert ("100%" in lines[1]) != stopped
    assert "next evaluation" not in panel


@pytest.mark.slow
def test_a_training_on_a_dumb_terminal_prints_no_sequences(tmp_path, monkeypatch):
    screen = Screen(200)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "dumb")
    train(tiny("dqn"), tmp_path)
    assert "\x1b" not in screen.getvalue()
    assert "wins " in screen.getvalue()
