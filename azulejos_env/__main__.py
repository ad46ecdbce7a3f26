"""Command line of the game; the usage is that of the program by Bezdjian, Depascuali and Sakuda (2014)."""

from __future__ import annotations

import sys

from azulejos_env.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
