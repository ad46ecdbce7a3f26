"""Live areas and lines of progress: what stays on the screen, also after errors, and what fits."""

from __future__ import annotations

import sys
from threading import Event

import pytest
from support.screens import Screen

from baselines.terminal.bars import bar, format_seconds, progress_line
from baselines.terminal.game_bar import GameCount, game_bar
from baselines.terminal.live_area import LiveArea
from baselines.terminal.streams import stream_width


def put_on_screen(monkeypatch, columns: int = 80) -> Screen:
    screen = Screen(columns)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    return screen


def test_an_area_is_drawn_below_other_output_and_removed(monkeypatch):
    screen, frames = put_on_screen(monkeypatch), iter(range(100))
    with LiveArea(lambda _: [f"frame {next(frames)}", "below"]) as area:
        assert screen.text == "frame 0\nbelow"
        area.refresh()
        assert screen.text == "frame 1\nbelow"
        print("a warning", file=sys.stderr)
        assert screen.text == "a warning\nframe 2\nbelow"
        sys.stderr.write("half")
        area.refresh()
        assert screen.text == "a warning\nhalf"
        assert not sys.stderr.isatty()
    assert screen.text == "a warning\nhalf"
    assert sys.stderr is screen


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_leaves_the_last_state_and_the_stream(monkeypatch, error):
    screen, state = put_on_screen(monkeypatch), ["begun"]

    def work():
        with LiveArea(lambda _: state, leave=True):
            state[:] = ["almost done", "two lines"]
            raise error

    with pytest.raises(error):
        work()
    assert screen.text == "almost done\ntwo lines"
    assert sys.stderr is screen
    print("a message", file=sys.stderr)
    assert screen.text == "almost done\ntwo lines\na message"


def test_the_thread_draws_by_itself(monkeypatch):
    monkeypatch.setattr("baselines.terminal.live_area.INTERVAL", 0.01)
    screen, drawn, enough = put_on_screen(monkeypatch), [], Event()

    def draw(width):
        drawn.append(width)
        if len(drawn) > 3:
            enough.set()
        return ["a line"]

    with LiveArea(draw):
        assert enough.wait(10)
    assert screen.text == ""
    assert set(drawn) == {79}


def test_a_line_longer_than_the_terminal_is_cut(monkeypatch):
    screen = put_on_screen(monkeypatch, 20)
    with LiveArea(lambda _: ["x" * 50], leave=True):
        pass
    assert screen.text == "x" * 19
    monkeypatch.setenv("COLUMNS", "")
    assert stream_width(screen) == 80


@pytest.mark.parametrize("name", ["exact", "runs/dqn-8x8-14:temperature=0.25,seed=3", ""])
@pytest.mark.parametrize("width", [20, 40, 60, 79, 159])
def test_a_line_of_progress_keeps_its_numbers(name, width):
    facts = "5000 of 10000 games, 812/s, 6 s left"
    text = progress_line(name, 0.5, facts, width)
    assert text.endswith(f"50%  {facts}")
    assert len(text) <= max(width, len(f" 50%  {facts}"))
    assert ("[" in text) == (width >= 79 or (width == 60 and len(name) < 6))


def test_bars_and_times():
    assert bar(0.0, 8) == "[------]"
    assert bar(0.5, 8) == "[###---]"
    assert bar(1.0, 8) == "[######]"
    assert [format_seconds(seconds) for seconds in (0.4, 89, 90, 5399)] == ["0 s", "89 s", "2 min", "90 min"]
    assert format_seconds(5400) == "1.5 h"


def test_games_are_counted_on_a_terminal(monkeypatch):
    screen = put_on_screen(monkeypatch)
    with game_bar("playing", "exact", 1000) as add:
        assert screen.text.startswith("exact  [------")
        assert screen.text.endswith("0 of 1000 games, 0 s")
        add(250)
    assert screen.text == ""


def test_games_without_a_terminal_are_plain_lines(monkeypatch, capsys):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("baselines.terminal.game_bar.LINE_SECONDS", 0.0)
    with game_bar("playing", "exact", 1000) as add:
        add(250)
    first, second = capsys.readouterr().err.splitlines()
    assert first == "playing exact"
    assert second.startswith("exact: 250 of 1000 games, ")
    assert second.endswith("0 s left")


def test_the_pace_is_that_of_the_games_so_far(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    count = GameCount("exact", 1000)
    now[0] = 102.0
    count.add(100)
    assert count.line(79).endswith("  10%  100 of 1000 games, 50/s, 18 s left")


def test_slow_work_shows_the_time_of_each(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    count = GameCount("seeds", 10, "trainings")
    now[0] = 700.0
    count.add(2)
    assert count.line(79).endswith("  20%  2 of 10 trainings, 5 min each, 40 min left")
