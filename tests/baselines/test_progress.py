"""Displays and lines of progress: what stays on the screen, also after errors, and what fits."""

import io
import sys
from unittest.mock import Mock

import pytest
from support.screens import Screen

from baselines.progress import game_bar, progress_display, progress_line
from baselines.tables import Page


def put_on_screen(monkeypatch) -> Screen:
    """Makes stderr a terminal of 80 columns."""
    screen = Screen(80)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    return screen


def test_a_display_is_drawn_below_other_output_and_removed(monkeypatch):
    screen = put_on_screen(monkeypatch)
    for stdout in (Screen(), io.StringIO()):
        monkeypatch.setattr(sys, "stdout", stdout)
        with progress_display(lambda _: "a display\nbelow", str):
            print("a warning", file=sys.stderr)
            print("a result")
            assert screen.text.splitlines()[-1].rstrip() == "below"
        assert (sys.stderr, sys.stdout) == (screen, stdout)
        # On a terminal, what is printed on stdout appears above the display, too.
        assert stdout.getvalue() == ("" if stdout.isatty() else "a result\n")
    assert screen.text == "a warning\na result\na warning"


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_error_leaves_the_last_state_and_the_stream(monkeypatch, error):
    screen = put_on_screen(monkeypatch)
    state = ["begun"]

    def work():
        with progress_display(lambda _: "\n".join(state), str, leave=True):
            state[:] = ["almost done", "two lines"]
            raise error

    with pytest.raises(error):
        work()
    assert sys.stderr is screen
    print("a message", file=sys.stderr)
    assert screen.text == "almost done\ntwo lines\na message"
    assert screen.getvalue().endswith("\x1b[?25ha message\n")


def test_a_terminal_that_goes_away_stops_nothing(monkeypatch):
    screen = put_on_screen(monkeypatch)

    with progress_display(lambda _: "a line", str, leave=True):
        monkeypatch.setattr(screen, "write", Mock(side_effect=OSError(5, "Input/output error")))
    assert sys.stderr is screen


@pytest.mark.parametrize("name", ["exact", "runs/dqn-8x8-14:temperature=0.25,seed=3", ""])
@pytest.mark.parametrize("width", [60, 79, 159])
def test_a_line_of_progress_keeps_its_numbers(name, width):
    facts = "5000 of 10000 games, 812/s, 6 s left"
    page = Page(width)
    page.parts.append(progress_line(name, 0.5, facts, width))
    (line,) = page.text().splitlines()
    assert line.startswith(name[:15])
    assert line.endswith(f" 50%  {facts}")
    assert ("━" in line) == (width >= 79 or len(name) < 6)


def test_games_are_counted_on_a_terminal(monkeypatch):
    screen = put_on_screen(monkeypatch)
    with game_bar("playing", "exact", 1000) as add:
        assert screen.text.startswith("exact  ━━━━━━")
        assert screen.text.rstrip().endswith("0%  0 of 1000 games, 0 s")
        add(250)
    assert screen.text == ""


@pytest.mark.parametrize(
    ("games", "unit", "done", "seconds", "facts"),
    [
        (1000, "games", 100, 31.0, "100 of 1000 games, 3/s, 5 min left"),
        (10, "trainings", 2, 600.0, "2 of 10 trainings, 5 min each, 40 min left"),
    ],
)
def test_without_a_terminal_lines_with_the_pace_come_from_time_to_time(
    monkeypatch, capsys, games, unit, done, seconds, facts
):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    with game_bar("playing", "exact", games, unit) as add:
        add(0)
        now[0] += seconds
        add(done)
        add(0)
    assert capsys.readouterr().err == f"playing exact\nexact: {facts}\n"


def test_news_come_at_once(capsys):
    with progress_display(str, lambda: "5 of 9 games") as show:
        show("exact is done; ")
        show()
        show(at_once=True)
    assert capsys.readouterr().err == "exact is done; 5 of 9 games\n5 of 9 games\n"
