"""Time from a key press to the drawn frame of the terminal game, on 16x30 with the exact risks shown.

The game runs as users start it, on a terminal of 80x24 that this program plays. A program that knows nothing but the
board moves the cursor to cells that are certainly safe, and opens them, until the game needs a guess; then it flags
cells. A frame is drawn when its first byte arrives, and complete when no byte follows for 15 ms. The risks of the new
position are part of the frame if they are known by then, and follow in a frame of their own otherwise.

    python benchmarks/terminal.py
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import statistics
import struct
import sys
import termios
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import certain_cells
from minesweeper_play.game.session import Session

LINES, COLUMNS = 24, 80
QUIET_SECONDS = 0.015
CONFIG = BoardConfig.of_size((16, 30), 99)
KEYS = {
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "open": b"\r",
    "flag": b"f",
    "risks": b"p",
}


class Terminal:
    """The game in a process of its own, on a terminal whose output is thrown away."""

    def __init__(self, seed: int) -> None:
        """Starts the game of a seed."""
        self.pid, self._file = pty.fork()
        if self.pid == 0:
            program = Path(__file__).parents[1] / "play.py"
            words = [str(program), "--preset", "expert", "--seed", str(seed), "--no-animation", "--no-settings"]
            os.execvpe(sys.executable, [sys.executable, *words], {**os.environ, "TERM": "xterm-256color"})
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))

    def wait(self, seconds: float) -> None:
        """Reads until nothing has come for some seconds."""
        while self._read(seconds):
            pass

    def press(self, key: str) -> tuple[float, float]:
        """Presses a key; returns the milliseconds to the first byte of the next frame, and to its last."""
        begin = time.perf_counter()
        os.write(self._file, KEYS[key])
        self._read(10.0)
        first = last = time.perf_counter()
        while self._read(QUIET_SECONDS):
            last = time.perf_counter()
        return 1000 * (first - begin), 1000 * (last - begin)

    def end(self) -> None:
        """Ends the game by Ctrl-C."""
        os.write(self._file, b"\x03")
        self.wait(1.0)
        os.waitpid(self.pid, 0)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._file], [], [], seconds)
        try:
            return bool(ready) and bool(os.read(self._file, 1 << 16))
        except OSError:
            return False


def steps(cursor: tuple[int, int], cell: tuple[int, int]) -> list[str]:
    """Returns the keys that move the cursor to a cell."""
    down, right = cell[0] - cursor[0], cell[1] - cursor[1]
    return ["down" if down > 0 else "up"] * abs(down) + ["right" if right > 0 else "left"] * abs(right)


def play(terminal: Terminal, session: Session, times: dict[str, list[tuple[float, float]]]) -> None:
    """Plays the game on the terminal, and the same game here, while it needs no guess."""
    cursor = (CONFIG.rows // 2, CONFIG.cols // 2)
    session.open(*cursor)
    terminal.press("open")
    terminal.press("risks")
    terminal.wait(0.5)
    while not session.is_over:
        certain = certain_cells(session.board, CONFIG.mines)
        safe = np.argwhere(certain.safe)
        if len(safe) == 0:
            break
        row, col = safe[np.abs(safe - cursor).sum(axis=1).argmin()].tolist()
        for key in steps(cursor, (row, col)):
            times["move the cursor"].append(terminal.press(key))
        cursor = (row, col)
        session.open(*cursor)
        times["open a cell"].append(terminal.press("open"))


def flag(terminal: Terminal, times: dict[str, list[tuple[float, float]]], count: int) -> None:
    """Sets and removes flags wherever the cursor is."""
    for _ in range(count):
        times["flag a cell"].append(terminal.press("flag"))
        terminal.wait(0.05)


def main() -> None:
    """Prints the times of several games."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=5, metavar="N", help="play N games, seeds 0 on (default 5)")
    games = parser.parse_args().games
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for seed in range(games):
        terminal = Terminal(seed)
        terminal.wait(6.0 if seed == 0 else 3.0)
        play(terminal, Session(CONFIG, seed=seed), times)
        terminal.press("up")
        flag(terminal, times, 10)
        terminal.end()
    print(f"{'key':<18}{'presses':>8}{'first byte: median':>22}{'95 %':>8}{'last byte: median':>20}{'95 %':>8}   (ms)")
    for name, pairs in times.items():
        columns = [(statistics.median(each), float(np.quantile(each, 0.95))) for each in zip(*pairs, strict=True)]
        (first, first95), (last, last95) = columns
        print(f"{name:<18}{len(pairs):>8}{first:>22.1f}{first95:>8.1f}{last:>20.1f}{last95:>8.1f}")


if __name__ == "__main__":
    main()
