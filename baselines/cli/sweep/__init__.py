"""Command `python -m baselines sweep`."""

from baselines.cli.sweep.command import main as main
