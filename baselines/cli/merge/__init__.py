"""Command `python -m baselines merge`."""

from baselines.cli.merge.command import main as main
