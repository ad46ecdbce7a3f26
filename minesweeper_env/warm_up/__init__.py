"""Compilation of all kernels ahead: `python -m minesweeper_env.warm_up`, and the same for all packages."""
