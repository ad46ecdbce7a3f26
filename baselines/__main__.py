"""`python -m baselines`: run a command by its name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from baselines.cli.arguments import BAD_ARGUMENTS
from baselines.cli.start import MODULE
from baselines.support.command import run_command
from minesweeper_env.notices import say

COMMANDS = {
    "evaluate": "score policies on seeded games",
    "train": "train an agent",
    "suites": "list the suites, or play one: an experiment that one command repeats",
    "dataset": "write a Minari data set of the games of policies",
    "warm-up": "compile all kernels ahead, so that no later command waits for the compiler",
    "seeds": "train algorithms with several seeds each, and compare their win rates",
    "sweep": "search for hyperparameters by many trainings on Ray Tune",
    "benchmark": "play the benchmark, and make, check and add result files for the leaderboard",
    "push": "send an agent to the Hugging Face hub",
}
"""The commands, each a module of `baselines.cli`, and what they do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        arguments: the command and its arguments; None for those that the process was started with.

    Returns:
        The exit status of the command; 0 after the help, which is printed without a command; 2 without a known command.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given in (["-h"], ["--help"]):
        _print_help()
        return 0
    name = given[0]
    if name in COMMANDS:
        return run_command(f"baselines.cli.{name.replace('-', '_')}", given[1:], f"{MODULE} {name}")
    say(f"{MODULE}: unknown command {name!r}; choose one of {', '.join(COMMANDS)}")
    return BAD_ARGUMENTS


def evaluate() -> int:
    """Runs `minesweeper-evaluate`, the installed name of `evaluate.py`."""
    return run_command("baselines.cli.evaluate", None, "minesweeper-evaluate")


def train() -> int:
    """Runs `minesweeper-train`, the installed name of `train.py`."""
    return run_command("baselines.cli.train", None, "minesweeper-train")


def _print_help() -> None:
    print(f"usage: {MODULE} COMMAND ...\n\ncommands:")
    for name, summary in COMMANDS.items():
        print(f"  {name:<11} {summary}")
    print(f"\n{MODULE} COMMAND --help shows the options of a command.")
    print("minesweeper-evaluate and minesweeper-train are the installed names of evaluate and train.")


if __name__ == "__main__":
    sys.exit(main())
