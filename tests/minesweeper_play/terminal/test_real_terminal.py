"""The game on a real terminal: what leaving it, Ctrl-C, SIGTERM and a crash leave behind."""

import os
import pty
import select
import signal
import sys
import termios
import time

import pytest
from support import ROOT

pytestmark = pytest.mark.slow

ALTERNATE, NORMAL, CURSOR, NO_MOUSE = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l"
"""Sequences that take and give back the screen, show the cursor, and switch the mouse off."""

CRASH = """
from minesweeper_play.command import main
from minesweeper_play.terminal.playing import GameScreen

GameScreen.action_at_cursor = lambda *_: 1 // 0
raise SystemExit(main())
"""


class Terminal:
    """A program on a terminal of 80x24."""

    def __init__(self, folder, *words):
        self.output = b""
        self.pid, self._file = pty.fork()
        if self.pid == 0:
            os.chdir(ROOT)
            folders = dict.fromkeys(("XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(folder))
            os.execvpe(sys.executable, [sys.executable, *words], {**os.environ, **folders})
        termios.tcsetwinsize(self._file, (24, 80))

    def read_until(self, text, seconds=120.0):
        end = time.monotonic() + seconds
        while text not in self.output:
            assert time.monotonic() < end, self.output[-2000:]
            self._read(0.1)

    def press(self, keys):
        os.write(self._file, keys)

    def status(self, seconds=60.0):
        """Returns the exit status, once the program has ended."""
        end = time.monotonic() + seconds
        while (found := os.waitpid(self.pid, os.WNOHANG)) == (0, 0):
            self._read(0.1)
            assert time.monotonic() < end, "it does not end"
        while self._read(0.2):
            pass
        return os.waitstatus_to_exitcode(found[1])

    def _read(self, seconds):
        if not select.select([self._file], [], [], seconds)[0]:
            return False
        try:
            found = os.read(self._file, 1 << 16)
        except OSError:
            return False
        self.output += found
        return bool(found)


def check_restored(terminal):
    after = terminal.output.rpartition(ALTERNATE)[2]
    assert all(sequence in after for sequence in (NORMAL, CURSOR, NO_MOUSE))


def start(folder, *words):
    """Starts the game, and waits for its board."""
    terminal = Terminal(folder, *(words or ("play.py", "--size", "5", "--mines", "3", "--lang", "en")))
    terminal.read_until(b"quit")
    return terminal


@pytest.mark.parametrize(("keys", "status"), [(b"q", 0), (b"", 143)])
def test_leaving_and_sigterm_restore_the_terminal(tmp_path, keys, status):
    terminal = start(tmp_path)
    if keys:
        terminal.press(keys)
    else:
        os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.status() == status
    check_restored(terminal)


def test_a_crash_restores_the_terminal_and_says_why(tmp_path):
    terminal = start(tmp_path, "-c", CRASH, "--size", "5", "--mines", "3", "--lang", "en")
    terminal.press(b"f")
    assert terminal.status() == 1
    check_restored(terminal)
    assert b"ZeroDivisionError" in terminal.output.rpartition(NORMAL)[2]


def test_the_mouse_of_a_terminal_opens_a_cell_and_ctrl_c_restores_it(tmp_path):
    terminal = start(tmp_path)
    begun, terminal.output = terminal.output, b""
    # The middle of the screen, as xterm reports a press and a release there.
    terminal.press(b"\x1b[<0;41;9M\x1b[<0;41;9m")
    terminal.read_until("\u00b7".encode())
    terminal.press(b"\x03")
    assert terminal.status() == 130
    terminal.output = begun + terminal.output
    check_restored(terminal)
