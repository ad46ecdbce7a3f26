"""Live areas and lines of progress: what stays on the screen, also after errors, and what fits."""

from __future__ import annotations

import io
import sys

import pytest
from support.screens import Screen

from baselines.terminal.live_area import live_area, progress_line
from baselines.terminal.progress import GameCount, Progress, game_bar
from baselines.terminal.tables import Page
from minesweeper_env.notices import is_live


def put_on_screen(monkeypatch, columns: int = 80) -> Screen:
    screen = Screen(columns)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    return screen


def lines_of(text: str) -> list[str]:
    """Returns the lines of a screen without the spaces that rich leaves at their ends."""
    return [line.rstrip() for line in text.splitlines()]


def test_an_area_is_drawn_below_other_output_and_removed(monkeypatch):
    screen, frames = put_on_screen(monkeypatch), iter(range(100))
    with live_area(lambda _: f"frame {next(frames)}\nbelow") as area:
        first = screen.text
        area.refresh()
        assert screen.text > first
        assert lines_of(screen.text)[1:] == ["below"]
        print("a warning", file=sys.stderr)
        assert lines_of(screen.text)[0] == "a warning"
        assert lines_of(screen.text)[2:] == ["below"]
        sys.stderr.write("half")
        assert not is_live(sys.stderr)
    assert screen.text == "a warning\nhalf"
    assert sys.stderr is screen


def test_what_is_printed_on_stdout_appears_above_on_a_terminal_and_goes_into_a_pipe(monkeypatch):
    screen = put_on_screen(monkeypatch)
    for stdout in (Screen(), io.StringIO()):
        monkeypatch.setattr(sys, "stdout", stdout)
        with live_area(lambda _: "below"):
            print("a result")
        assert sys.stdout is stdout
        assert stdout.getvalue() == ("" if stdout.isatty() else "a result\n")
    assert screen.text == "a result"


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_leaves_the_last_state_and_the_stream(monkeypatch, error):
    screen, state = put_on_screen(monkeypatch), ["begun"]

    def work():
        with live_area(lambda _: "\n".join(state), leave=True):
            state[:] = ["almost done", "two lines"]
            raise error

    with pytest.raises(error):
        work()
    assert screen.text == "almost done\ntwo lines"
    assert sys.stderr is screen
    print("a message", file=sys.stderr)
    assert screen.text == "almost done\ntwo lines\na message"
    assert screen.getvalue().endswith("\x1b[?25ha message\n")


def test_a_terminal_that_goes_away_stops_nothing(monkeypatch):
    screen = put_on_screen(monkeypatch)
    with live_area(lambda _: "a line", leave=True) as area:

        def gone(_text):
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(screen, "write", gone)
        area.refresh()
    assert sys.stderr is screen


@pytest.mark.parametrize("name", ["exact", "runs/dqn-8x8-14:temperature=0.25,seed=3", ""])
@pytest.mark.parametrize("width", [20, 40, 60, 79, 159])
def test_a_line_of_progress_keeps_its_numbers(name, width):
    facts = "5000 of 10000 games, 812/s, 6 s left"
    page = Page(max(width, len(f" 50%  {facts}")))
    page.add(progress_line(name, 0.5, facts, width))
    first, *folded = page.text().splitlines()
    assert first.endswith(f"50%  {facts}")
    assert len(first) <= page.width
    assert ("━" in first) == (width >= 79 or (width == 60 and len(name) < 6))
    shown = first.split()[0].rstrip("━╸0%") + "".join(line.strip() for line in folded)
    assert shown.startswith(name if width >= 60 else ("5", "%", ""))


def test_games_are_counted_on_a_terminal(monkeypatch):
    screen = put_on_screen(monkeypatch)
    with game_bar("playing", "exact", 1000) as add:
        assert screen.text.startswith("exact  ━━━━━━")
        assert screen.text.rstrip().endswith("0%  0 of 1000 games, 0 s")
        add(250)
    assert screen.text == ""


def test_games_without_a_terminal_are_plain_lines(monkeypatch, capsys):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("baselines.terminal.progress.LINE_SECONDS", 0.0)
    with game_bar("playing", "exact", 1000) as add:
        add(250)
    first, second = capsys.readouterr().err.splitlines()
    assert first == "playing exact"
    assert second.startswith("exact: 250 of 1000 games, ")
    assert second.endswith("0 s left")


def test_lines_without_a_terminal_come_with_news_and_from_time_to_time(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    with Progress(str, lambda: "5 of 9 games", seconds=10.0) as progress:
        progress.show()
        progress.show("exact is done; ")
        now[0] += 9.0
        progress.show()
        now[0] += 2.0
        progress.show()
        progress.show()
        progress.show(at_once=True)
    assert capsys.readouterr().err == "exact is done; 5 of 9 games\n5 of 9 games\n5 of 9 games\n"


def test_the_pace_is_that_of_the_games_so_far(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    count = GameCount(1000)
    now[0] = 102.0
    count.done += 100
    assert count.facts() == "100 of 1000 games, 50/s, 18 s left"


def test_slow_work_shows_the_time_of_each(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    count = GameCount(10, "trainings")
    now[0] = 700.0
    count.done += 2
    assert count.facts() == "2 of 10 trainings, 5 min each, 40 min left"
