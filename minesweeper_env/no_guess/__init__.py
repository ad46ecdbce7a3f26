"""Compiled search for boards that logic alone solves. Internal: `minesweeper_env.generation` is the public module."""
