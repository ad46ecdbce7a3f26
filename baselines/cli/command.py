"""A command from its declaration: parse its arguments, check them, do its work, and tell its errors in one line."""

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple

from baselines.checks import MissingExtraError, check_extra
from baselines.cli.arguments import Parser
from baselines.process import FAILED, INTERRUPTED, MODULE, explain, typed_command
from minesweeper_env.console import say

Work = Callable[[], int | None]
"""What a command does once its arguments are checked; returns the exit status, or None for 0."""


class Command(NamedTuple):
    """A command.

    Attributes:
        name: its name after `minesweeper`.
        description: what it does, in a sentence.
        examples: a line per example; {0} stands for the program.
        add_arguments: declares its arguments.
        prepare: checks the options and returns the work. The options hold the command line, as the user typed it, as
            `command`, and the program as `program`.
        left: what a message about an interruption or an error says about the work done before; {out} is --out.
            The default `left` of an argument parser comes first.
        errors: errors of the work that are told in one line, besides those of files, policies and workers.
    """

    name: str
    description: str
    examples: str
    add_arguments: Callable[[Parser], None]
    prepare: Callable[[argparse.Namespace], Work]
    left: str = ""
    errors: tuple[type[Exception], ...] = ()

    def main(self, arguments: Sequence[str] | None = None, program: str = "") -> int:
        """Runs the command, as `run_command` calls it; bad arguments exit with status 2 and one line.

        Returns:
            The exit status of the work; 130 after Ctrl-C; 1 after an error in the work.
        """
        program = program or f"{MODULE} {self.name}"
        parser = self.parser(program)
        options = parser.parse_args(arguments)
        options.command, options.program = typed_command(program, arguments), program
        left = getattr(options, "left", self.left).format(out=getattr(options, "out", None))
        from baselines.policy import PolicyError
        from baselines.workers import WorkerError
        from minesweeper_env.inference import PositionTooHardError

        # Errors of files, packages, hard positions, workers and, last, policies are told in one line.
        told: tuple[type[Exception], ...] = (OSError, MissingExtraError, PositionTooHardError, WorkerError, PolicyError)
        refused: tuple[type[Exception], ...] = (ValueError, *told)
        try:
            if getattr(options, "ray", None) is not None:
                check_extra("ray", extra="ray")
            work = self.prepare(options)
        except refused as error:
            parser.error(explain(error))
        try:
            return work() or 0
        except KeyboardInterrupt:
            say(f"{program}: interrupted{left}")
            return INTERRUPTED
        except (*told, *self.errors) as error:
            # After an error of a policy the same command fails again.
            say(f"{program}: {explain(error)}{'' if isinstance(error, told[-1]) else left}")
            return FAILED

    def parser(self, program: str) -> Parser:
        """Returns the parser of the command as `program`."""
        lines = ["examples:", *(f"  {line}" for line in self.examples.format(typed_command(program, ())).splitlines())]
        parser = Parser(prog=program, description=self.description, epilog="\n".join([*lines, ""]))
        self.add_arguments(parser)
        return parser
