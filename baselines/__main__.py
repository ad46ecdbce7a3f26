"""`minesweeper COMMAND`, and `python -m baselines COMMAND` in a clone: run a command by its name."""

import sys
from collections.abc import Sequence

from baselines.checks import did_you_mean
from baselines.process import BAD_ARGUMENTS, MODULE, run_command
from minesweeper_env.console import say

COMMANDS = {
    "evaluate": "score policies on seeded games",
    "train": "train an agent",
    "play": "play, watch policies, or have a game analysed",
    "suite": "list the suites, or play one; a suite is an experiment that one command repeats",
    "benchmark": "play the benchmark, and make, check and add result files for the leaderboard",
    "seeds": "train algorithms with several seeds each, and compare their win rates",
    "sweep": "search for hyperparameters by many trainings",
    "dataset": "write a Minari data set of the games of policies",
    "push": "send an agent to the Hugging Face hub",
    "warm-up": "compile all kernels ahead, so that no later command waits for the compiler",
}
"""A summary of each command; all but `play` are modules of `baselines.cli`."""

PLAY_MODULE = "minesweeper_play.command"


def main(arguments: Sequence[str] | None = None, program: str = MODULE) -> int:
    """Runs a command.

    Args:
        arguments: the command and its arguments; None for those of the process.
        program: the words before the command, as the user typed them.

    Returns:
        The exit status of the command; 0 after the help, which is printed if there is no command; 2 for an unknown one.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words in (["-h"], ["--help"]):
        print(f"usage: {program} COMMAND ...\n\ncommands:")
        for name, summary in COMMANDS.items():
            print(f"  {name:<11} {summary}")
        print(f"\n{program} COMMAND --help shows the options of a command.")
        return 0
    name = words[0]
    if name in COMMANDS:
        module = PLAY_MODULE if name == "play" else f"baselines.cli.{name.replace('-', '_')}"
        return run_command(module, words[1:], f"{program} {name}")
    say(f"{program}: unknown command {name!r}; choose one of {', '.join(COMMANDS)}{did_you_mean(name, COMMANDS)}")
    return BAD_ARGUMENTS


if __name__ == "__main__":
    sys.exit(main())
