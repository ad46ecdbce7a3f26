"""Command `python -m baselines seeds`."""

from baselines.cli.seeds.command import main as main
