"""Animation of openings in the line mode: its frames, and when there is none."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from minesweeper_env.config import BoardConfig
from minesweeper_play.classic import animation
from minesweeper_play.classic.command import _Player
from minesweeper_play.classic.console import Console
from minesweeper_play.game.opening import LAYER_SECONDS, opening_layers
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions

HIDE, SHOW = "\033[?25l", "\033[?25h"


@pytest.fixture
def console():
    console = Console(PlayOptions())
    console.is_animated = True
    return console


@pytest.fixture
def pauses(monkeypatch):
    taken = []
    monkeypatch.setattr(animation, "time", SimpleNamespace(sleep=taken.append))
    return taken


def opened():
    session = Session(BoardConfig(8, 8, 10), seed=0)
    return session, session.open(4, 4)


def test_each_layer_but_the_last_is_a_frame_and_is_erased_again(console, pauses, capsys):
    session, report = opened()
    animation.animate(session, report, (4, 4), console)
    out = capsys.readouterr().out
    layers = opening_layers(session.board, report.cells, (4, 4))
    frames = re.split(r"\033\[9A\r\033\[J", out.removeprefix(HIDE).removesuffix(SHOW))
    assert frames[-1] == ""
    assert len(frames) - 1 == len(layers) - 1 == len(pauses)
    assert set(pauses) == {LAYER_SECONDS}
    covered = [frame.count("#") for frame in frames[:-1]]
    assert covered == [64 - sum(map(len, layers[: number + 1])) for number in range(len(layers) - 1)]


def test_a_terminal_gets_its_cursor_back_after_ctrl_c(console, monkeypatch, capsys):
    def interrupt(_seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(animation, "time", SimpleNamespace(sleep=interrupt))
    session, report = opened()
    with pytest.raises(KeyboardInterrupt):
        animation.animate(session, report, (4, 4), console)
    assert capsys.readouterr().out.endswith(SHOW)


@pytest.mark.parametrize("reason", ["switched off", "small screen", "one cell"])
def test_no_animation(console, pauses, monkeypatch, capsys, reason):
    session, report = opened()
    cell = (4, 4)
    if reason == "switched off":
        console.is_animated = False
    elif reason == "small screen":
        monkeypatch.setattr(animation, "screen_lines", lambda: 9)
    else:
        session = Session(BoardConfig(8, 8, 40, first_click="safe"), seed=0)
        report = session.open(*cell)
        assert len(report.cells) == 1
    animation.animate(session, report, cell, console)
    assert (capsys.readouterr().out, pauses) == ("", [])


def test_a_pipe_and_the_option_switch_it_off():
    assert not Console(PlayOptions()).is_animated
    assert not Console(PlayOptions(animation=False)).is_animated


@pytest.mark.parametrize(
    ("first_click", "answers", "board"),
    [
        (None, ["8", "10"], BoardConfig(8, 8, 10)),
        (None, ["3", "8"], BoardConfig(3, 3, 8, first_click="safe")),
        (None, ["4", "8"], BoardConfig(4, 4, 8, first_click="safe")),
        (None, ["4", "7"], BoardConfig(4, 4, 7, first_click="opening")),
        ("opening", ["3", "4", "8", "7"], BoardConfig(4, 4, 7, first_click="opening")),
        ("corners", ["3", "5", "16"], BoardConfig(5, 5, 16, first_click="corners")),
        ("any", ["3", "8"], BoardConfig(3, 3, 8, first_click="any")),
    ],
)
def test_the_first_click_is_protected_as_well_as_the_mines_allow(monkeypatch, first_click, answers, board):
    lines = iter(answers)
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    options = PlayOptions()
    assert _Player(Console(options), options)._ask_board(first_click) == board
    assert next(lines, None) is None
