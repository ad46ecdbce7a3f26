"""Command `python -m baselines benchmark`."""

from baselines.cli.benchmark.command import main as main
