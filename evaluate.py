#!/usr/bin/env python3
"""Score policies on seeded games; see `python evaluate.py --help`."""

import sys

from baselines.process import run_command

if __name__ == "__main__":
    sys.exit(run_command("baselines.cli.evaluate"))
