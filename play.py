#!/usr/bin/env python3
"""Play Minesweeper; see `python play.py --help`."""

import sys

from baselines.process import run_command

if __name__ == "__main__":
    sys.exit(run_command("minesweeper_play.command"))
