"""`python -m baselines suites`: list the suites, or play one as `evaluate.py --suite` does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import fill

from baselines.cli import evaluate
from baselines.cli.start import MODULE, typed_command
from baselines.suites.definitions import SUITES

PROGRAM = f"{MODULE} suites"


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        0 when all is done, or the exit status of `evaluate.main`.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given in (["-h"], ["--help"]):
        _print_list(program)
        return 0
    return evaluate.main(["--suite", *given], program, typed_command(program, given))


def _print_list(program: str) -> None:
    print(f"usage: {program} NAME --out DIR")
    print(f"{'':7}[--games N] [--seed SEED] [--workers N] [--wide]\n\nsuites:")
    width = max(get_terminal_size().columns - 2, 40)
    for name, suite in SUITES.items():
        policies, boards = len(suite.entries), len(suite.boards)
        text = f"  {name:<15} {suite.title}; {policies} policies on {boards} boards, {suite.games} games each"
        print(fill(text, width, subsequent_indent=" " * 18))
    print(f"\nexamples:\n  {program} ladder --out runs/ladder --workers 4")
    print(f"  {program} bayes --out runs/bayes --games 100")
