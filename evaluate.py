#!/usr/bin/env python3
"""Score policies on seeded games; see `python evaluate.py --help`."""

import sys

from baselines.cli.evaluate import main

if __name__ == "__main__":
    sys.exit(main())
