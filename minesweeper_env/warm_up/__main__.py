"""`python -m minesweeper_env.warm_up`: compile the kernels of the environment and the inference ahead."""

from __future__ import annotations

import sys

from minesweeper_env.warm_up.command import main

if __name__ == "__main__":
    sys.exit(main())
