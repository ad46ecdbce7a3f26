"""`python -m baselines push`."""

from baselines.cli.push.command import main as main
