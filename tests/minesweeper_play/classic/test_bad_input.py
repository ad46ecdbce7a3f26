"""Odd input of the line mode: undecodable lines, names of files that cannot be, streams that cannot show accents."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.sources import ROOT


def play(tmp_path, arguments, stdin, **environment):
    result = subprocess.run(
        [sys.executable, "play.py", "--classic", "--size", "3x4", "--mines", "2", "--first-click", "any", *arguments],
        cwd=ROOT,
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path), **environment},
        input=stdin,
        capture_output=True,
    )
    return result.returncode, result.stdout, result.stderr


def test_undecodable_lines_are_invalid_syntax(tmp_path):
    status, out, err = play(tmp_path, ["--lang", "en"], b"\xff\xfe 1\n\x00\nquit\n", PYTHONIOENCODING="utf-8")
    assert status == 0
    assert out.count(b"Invalid syntax") == 2
    assert b"Traceback" not in err


def test_a_stream_without_accents_shows_question_marks(tmp_path):
    status, out, err = play(tmp_path, ["--lang", "es"], b"quit\n", PYTHONIOENCODING="ascii")
    assert status == 0
    assert out.splitlines()[-1] == b"?Hasta luego!"
    assert b"Traceback" not in err


@pytest.mark.parametrize(
    "name", ["nul\x00byte", "/no/such/folder/game.json", ".", "~nobody-of-this-name/game.json", "no/\x1b[2J\u202e"]
)
def test_a_file_that_cannot_be_written_is_one_line_and_the_game_goes_on(tmp_path, name):
    status, out, err = play(tmp_path, ["--lang", "en"], f"save {name}\nquit\n".encode(), PYTHONIOENCODING="utf-8")
    assert status == 0
    assert out.count(b"cannot be written: ") == 1
    assert not any(obeyed in out for obeyed in (b"\x00", b"\x1b", "\u202e".encode()))
    assert out.endswith(b"Goodbye!\n")
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
def test_a_reader_that_stops_ends_the_game_quietly(tmp_path):
    command = f"yes '1 1' | {sys.executable} play.py --classic --size 4 --mines 3 | head -1"
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    result = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert len(result.stdout.splitlines()) == 1
    assert "Traceback" not in result.stderr
