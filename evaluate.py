#!/usr/bin/env python3
"""Scores policies on seeded games; `python evaluate.py --help` says how."""

import sys

from baselines.cli.evaluate import main

if __name__ == "__main__":
    sys.exit(main())
