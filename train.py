#!/usr/bin/env python3
"""Trains a Minesweeper agent; `python train.py --help` says how."""

import sys

from baselines.process import run_command

if __name__ == "__main__":
    sys.exit(run_command("baselines.cli.train"))
