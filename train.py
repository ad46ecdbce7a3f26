#!/usr/bin/env python3
"""Train a Minesweeper agent; see `python train.py --help`."""

import sys

from baselines.process import run_command

if __name__ == "__main__":
    sys.exit(run_command("baselines.cli.train"))
