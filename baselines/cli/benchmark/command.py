"""`python -m baselines benchmark`: play the benchmark, and make, check, time and add result files."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from baselines.cli.arguments import FAILED, INTERRUPTED
from baselines.cli.benchmark.arguments import PROGRAM, make_parser
from baselines.cli.benchmark.checking import prepare_add, prepare_check, prepare_time
from baselines.cli.benchmark.entering import prepare_pack, prepare_run
from baselines.cli.failures import explain, play_errors
from baselines.cli.start import announce, listed, typed_command
from baselines.evaluation.protocol import PROTOCOL
from baselines.policy import PolicyError
from baselines.support.extras import MissingExtraError, check_extra
from minesweeper_env.notices import say


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        0 when all is done, 1 for a file that is refused or after an error during play, 130 after Ctrl-C.
    """
    parser = make_parser()
    options = parser.parse_args(arguments)
    options.command = typed_command(program, arguments)
    works: dict[str, Callable[[argparse.Namespace], Callable[[], int]]] = {
        "run": prepare_run, "pack": prepare_pack, "check": prepare_check, "time": prepare_time, "add": prepare_add,
    }  # fmt: skip
    announce(_intention(options))
    try:
        check_extra("rich")
        work = works[options.work](options)
    except (ValueError, OSError, PolicyError, MissingExtraError) as error:
        parser.error(explain(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    try:
        return work()
    except KeyboardInterrupt:
        return INTERRUPTED
    except _file_and_play_errors() as error:
        say(f"{PROGRAM}: {explain(error)}")
        return FAILED


def _file_and_play_errors() -> tuple[type[Exception], ...]:
    return (ValueError, *play_errors())


def _intention(options: argparse.Namespace) -> str:
    """Returns what the command is about to do."""
    if options.work == "run":
        return f"Play benchmark {PROTOCOL.version} into {options.out}: {listed(options.policy)}"
    if options.work == "pack":
        return f"Write result files of {listed(options.policy)} into {options.out}"
    verbs = {"check": "Check", "time": "Measure the times of", "add": "Check and add"}
    return f"{verbs[options.work]} {listed(options.files)}"
