"""`python -m minesweeper_play` and `minesweeper-play`, the installed names of `play.py`."""

from __future__ import annotations

import sys

from minesweeper_env.programs import check_baselines


def main(program: str = "minesweeper-play") -> int:
    """Runs the command, and returns its exit status."""
    check_baselines()
    from baselines.support.command import run_command

    return run_command("minesweeper_play.cli.play", None, program)


if __name__ == "__main__":
    sys.exit(main("python -m minesweeper_play"))
