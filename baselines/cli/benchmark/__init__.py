"""Command `python -m baselines benchmark`: play the benchmark, and make, check, time and add result files."""

from baselines.cli.benchmark.command import main

__all__ = ["main"]
