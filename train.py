#!/usr/bin/env python3
"""Trains a Minesweeper agent; `python train.py --help` says how."""

import sys

from baselines.cli.train import main

if __name__ == "__main__":
    sys.exit(main())
