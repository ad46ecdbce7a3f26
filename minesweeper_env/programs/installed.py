"""`minesweeper-evaluate` and `minesweeper-train`."""

from __future__ import annotations

from importlib import import_module

from minesweeper_env.programs.own_package import check_baselines


def evaluate() -> int:
    """Runs `minesweeper-evaluate`, and returns its exit status."""
    return _run("evaluate")


def train() -> int:
    """Runs `minesweeper-train`, and returns its exit status."""
    return _run("train")


def _run(name: str) -> int:
    check_baselines()
    return int(getattr(import_module("baselines.__main__"), name)())
