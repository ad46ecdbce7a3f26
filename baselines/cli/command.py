"""Declaration of a command: its parser, its work and its errors, and the options that several commands share."""

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from decimal import Decimal
from functools import partial
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple, NoReturn, get_type_hints

from baselines.checks import MissingExtraError, check_extra, did_you_mean
from baselines.files import check_writable, hold_folder
from baselines.process import BAD_ARGUMENTS, FAILED, INTERRUPTED, MODULE, explain, typed_command
from baselines.workers import WorkerError, Workers, cluster_address, connected, local_workers
from minesweeper_env.config import DEFAULT_MINES_TEXT, FIRST_CLICKS, NO_GUESS_LEVELS, PRESETS, BoardConfig
from minesweeper_env.console import say

SIDE: int = PRESETS[""]["size"]
"""The side of the board that a command plays without --size; the number of mines follows."""

MOST = 10**18 - 1
"""The largest whole number that an option takes."""

SUITE_NEEDS = ("scipy", "rich", "matplotlib")
"""The optional dependencies of a suite."""

_LOCKS = ExitStack()  # The locks of model folders; the end of the process releases them.

_NUMBER = re.compile(r"-?[0-9]+(_[0-9]+)*(\.[0-9]+)?(e\+?[0-9]{1,3})?", re.IGNORECASE)
"""Matches a number in Python's syntax; exponents are short, so that no number becomes huge."""

_ARGUMENT = re.compile(r"(?<![-\w'.])(first_click|no_guess)(?![\w=,:;)])|^(mines|size|seed)(?= must )")
"""Matches arguments of the library in its error messages, which a command's user knows as options."""


class HelpFormatter(argparse.HelpFormatter):
    """Adds the default to each help text, wraps prose, and breaks long commands with backslashes."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text, default = action.help or "", action.default
        if "(default" in text or default is True or default in (None, False, argparse.SUPPRESS, []) or action.required:
            return text
        return f"{text} (default {' '.join(map(str, default)) if isinstance(default, (list, tuple)) else default})"

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        opts: Any = {"subsequent_indent": " " * 6, "break_on_hyphens": False, "break_long_words": False}
        filled: list[str] = []
        # A line that begins with a blank is a command; empty lines between paragraphs stay.
        for is_prose, lines in groupby(text.splitlines(), lambda line: line[:1] not in ("", " ")):
            if is_prose:
                filled += wrap(f"{indent}{' '.join(lines)}", width, subsequent_indent=indent, break_on_hyphens=False)
            else:
                filled += (" \\\n".join(wrap(line, width - 2, **opts)) if len(line) > width else line for line in lines)
        return "\n".join(filled)


class Store(argparse.Action):
    """Stores the value of an option, which a list option may repeat, and one of a fixed number of values may not."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:  # noqa: ARG002
        """Stores the values."""
        stored = getattr(namespace, self.dest, self.default)
        if isinstance(values, list) and stored is not self.default:
            if isinstance(self.nargs, int):
                raise argparse.ArgumentError(self, f"takes {self.nargs} values and is given once")
            values = [*stored, *values]
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser that accepts no abbreviations and reports a bad argument in one line.

    Attributes:
        has_set_option: True for a command with --set; the error of an unknown option then suggests it.
        words: the command line, without the program.
    """

    has_set_option = False
    words: Sequence[str] = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=HelpFormatter, **settings)
        for action in (None, "store"):
            self.register("action", action, Store)

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parses the command line, as `argparse.ArgumentParser` does, and stores it as `words`."""
        self.words = sys.argv[1:] if args is None else args
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Prints the message with hints as one line on stderr, and exits with status 2.

        Names of the library's arguments, such as first_click, become the options that the user types.
        """
        text = _ARGUMENT.sub(lambda match: f"--{match[0].replace('_', '-')}", " ".join(message.split()))
        text = re.sub("^(rows|cols)(?= must )", r"--size: \1", text)
        no_value = re.fullmatch(r"argument (--[a-z-]+): expected one argument", text)
        if no_value and (choices := self._option_string_actions[no_value[1]].choices):
            text += f": {', '.join(map(str, choices))}"
        unknown = re.match(r"unrecognized arguments: (--[a-z][\w-]*)(?:[ =]([^-]\S*))?", text)
        if unknown:
            hint = did_you_mean(unknown[1], self._option_string_actions)
            text += f"; {'--help-all' if self.has_set_option else '--help'} lists all options{hint}"
        if unknown and self.has_set_option and not hint:
            name, value = unknown[1][2:].replace("-", "_"), unknown[2] or "VALUE"
            text += f", and a hyperparameter is set as in --set {name}={value}"
        if stray := re.match(r"unrecognized arguments: ([^-]\S*)", text):
            text += self._hint_for_stray(stray[1])
        say(f"{self.prog}: {text}")
        sys.exit(BAD_ARGUMENTS)

    def _hint_for_stray(self, word: str) -> str:
        """Returns a hint about a word that no option takes: what the option before it takes, or an option for it."""
        options = self._option_string_actions
        # A word right after an option is its value, so an equal word elsewhere is the stray one.
        pairs = enumerate(zip(["", *self.words], self.words, strict=False))
        index = next((i for i, (previous, other) in pairs if other == word and previous not in options), 0)
        option = next((other for other in reversed(self.words[:index]) if other in options), None)
        if option == "--size":
            return f"; {SIZE_FORMS}"
        if option is not None and options[option].nargs != 0:
            return f"; {option} takes one value"
        candidates = [name for name in ("--config", "--policy", "--out") if name in options]
        return f"; did you mean {candidates[0]} {word}?" if candidates else ""


SIZE_FORMS = "a size is a side such as 8, or ROWSxCOLS such as 16x30"


def parse_size(text: str) -> tuple[int, int]:
    """Parses a size such as "16x30", or "8" for a square; returns (rows, cols)."""
    match = re.fullmatch(r"([0-9]{1,7})(?:x([0-9]{1,7}))?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{SIZE_FORMS}, not {text!r}")
    return int(match[1]), int(match[2] or match[1])


def parse_folder(text: str) -> Path:
    """Parses the path of a folder to write into, which exists or can be made."""
    path = Path(text)
    nearest = next(filter(os.path.exists, (path, *path.parents)), path)
    if not text or not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise argparse.ArgumentTypeError(f"must be a folder that can be made or written into, not {text!r}")
    return path


def whole_number_from(least: int, most: int = MOST) -> Callable[[str], int]:
    """Returns a parser of whole numbers from `least` to `most`, which may be written as 100000, 100_000 or 1e5."""

    def parse(text: str) -> int:
        # `least - 1` stands for a text that is no whole number, and is refused below.
        number = Decimal(text) if _NUMBER.fullmatch(text) else Decimal(least - 1)
        number = number if number == number.to_integral_value() else Decimal(least - 1)
        if not least <= number <= most:
            bound = f"at most {most}" if number > most else f"at least {least}"
            raise argparse.ArgumentTypeError(f"must be a whole number of {bound}, not {text!r}")
        return int(number)

    return parse


def positive_number(text: str, *, or_zero: bool = False) -> float:
    """Parses a finite number above 0, or with `or_zero` of at least 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (0 < number < math.inf or (or_zero and number == 0)):
        raise argparse.ArgumentTypeError(f"must be a number {'of at least' if or_zero else 'above'} 0, not {text!r}")
    return number


class Boards(Store):
    """Stores a list of boards, separated by spaces or commas: "5x5/3 6x6/6" or "5x5/3,6x6/6"."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Stores the list of all boards."""
        super().__call__(parser, namespace, ",".join(values).split(","), option)


SHARED: Mapping[str, dict[str, Any]] = {
    "--size": {
        "type": parse_size,
        "default": (SIDE, SIDE),
        "metavar": "SIZE",
        "help": f"play on a square board of this side, or on ROWSxCOLS such as 16x30 (default {SIDE})",
    },
    "--mines": {
        "type": whole_number_from(1),
        "metavar": "N",
        "help": f"hide N mines (default {DEFAULT_MINES_TEXT}; other sizes need it)",
    },
    "--first-click": {
        "choices": FIRST_CLICKS,
        "default": BoardConfig.first_click,
        "metavar": "RULE",
        "help": f"protect the first click by this rule: {', '.join(FIRST_CLICKS)}",
    },
    "--no-guess": {
        "choices": ("none", *NO_GUESS_LEVELS),
        "default": "none",
        "metavar": "LEVEL",
        "help": "play boards that logic wins without a guess, at this level: subset (differences and overlaps of "
        "clues) or exact (every cell that is safe in all layouts) (default none: all boards)",
    },
    "--no-luck": {
        "action": "store_false",
        "dest": "luck",
        "help": "play games in which a guess survives where no cell is certainly safe, and loses where one is "
        "(default: with luck)",
    },
    "--policy": {"nargs": "+", "default": [], "metavar": "NAME", "help": "play these policies, as evaluate names them"},
    "--games": {"type": whole_number_from(1), "default": 1000, "metavar": "N", "help": "play N games of each policy"},
    "--seed": {
        "type": whole_number_from(0),
        "default": 0,
        "metavar": "SEED",
        "help": "give game i the seed SEED + i (default 0, test seeds; development seeds begin at 1500000000)",
    },
    "--workers": {"type": whole_number_from(1, 1024), "default": 1, "metavar": "N", "help": "play in N processes"},
    "--ray": {
        "type": cluster_address,
        "metavar": "ADDRESS",
        "help": "use a cluster of Ray, which needs the extra ray: the address of its head node, auto for the "
        "cluster that runs here, or local for one that is started on this machine alone",
    },
    "--wide": {"action": "store_true", "help": "show all columns of tables, whatever the terminal's width"},
    "--out": {"type": parse_folder, "metavar": "DIR", "help": "write into this folder; the same command resumes there"},
    "--boards": {
        "action": Boards,
        "nargs": "+",
        "metavar": "BOARD",
        "help": "train on these boards in turn, such as 5x5/5 16x30/99, instead of --size and --mines",
    },
}
"""The options that several commands share: the keyword arguments of `argparse.ArgumentParser.add_argument`."""

BOARD = ("--size", "--mines", "--first-click", "--no-guess", "--no-luck")
"""The options that `chosen_board` reads."""


def add_options(group: argparse._ActionsContainer, *names: str, **changes: Any) -> None:
    """Adds shared options with `changes` of their settings; if both are among them, --workers excludes --ray."""
    if "--ray" in names:
        exclusive = group.add_mutually_exclusive_group()
    for name in names:
        target = exclusive if "--ray" in names and name in ("--workers", "--ray") else group
        target.add_argument(name, **{**SHARED[name], **changes})


def parser_of(options: type, description: str | None) -> Parser:
    """Returns a parser with an option per field of a dataclass, `Annotated` with a help text and perhaps a parser."""
    parser = Parser(description=description)
    for name, hint in get_type_hints(options, include_extras=True).items():
        default, (meaning, *value_parser) = getattr(options, name), hint.__metadata__
        # A rule that is on by default has the option of the other commands that turns it off, such as --no-luck.
        is_rule = isinstance(default, bool)
        flag = f"--{'no-' if is_rule else ''}{name.replace('_', '-')}"
        # A seed may be 0, and what is counted, such as games, is at least 1.
        parse: Callable[[str], object] = type(default)
        if isinstance(default, int):
            parse = whole_number_from(int(default > 1))
        elif isinstance(default, float):
            parse = partial(positive_number, or_zero=True)
        settings = SHARED.get(flag) or {"type": value_parser[0] if value_parser else parse}
        default_text = "x".join(map(str, default)) if isinstance(default, tuple) else default
        text = meaning if default is None or is_rule else f"{meaning} (default {default_text})"
        parser.add_argument(flag, **{**settings, "default": default, "help": text})
    return parser


def claim_model_folder(parser: Parser, folder: Path) -> None:
    """Locks the folder of a new model until the process ends; exits with status 2 if it is in use or has a model."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_writable(folder / "model.pt")
        _LOCKS.enter_context(hold_folder(folder))
    except (OSError, ValueError) as error:
        parser.error(explain(error))
    if existing := [name for name in ("model.pt", "curve.json") if os.path.lexists(folder / name)]:
        parser.error(f"{folder} holds {' and '.join(existing)}; choose another --out")


def chosen_board(options: argparse.Namespace) -> BoardConfig:
    """Returns the configuration that the options of `BOARD` name, with clicks as the only moves."""
    no_guess = False if options.no_guess == "none" else options.no_guess
    rules = {"first_click": options.first_click, "no_guess": no_guess, "luck": options.luck}
    return BoardConfig.of_size(options.size, options.mines, **rules, moves=("click",))


def chosen_workers(options: argparse.Namespace, policies: Sequence[str]) -> AbstractContextManager[Workers]:
    """Returns the workers of --workers or --ray; a cluster receives the files of the policies."""
    if options.ray is None:
        return local_workers(options.workers)
    from baselines.registry import Specification

    specifications = map(Specification.of, policies)
    return connected(options.ray, {policy.base: files for policy in specifications if (files := policy.files())})


Work = Callable[[], int | None]
"""The part of a command after the checks of its options; returns the exit status, or None for 0."""


class Command(NamedTuple):
    """A command.

    Attributes:
        name: its name after `minesweeper`.
        description: one sentence for the help.
        examples: a line per example; {0} stands for the program.
        add_arguments: adds the arguments to a parser.
        prepare: checks the options and returns the work. `options.command` is the command line as the user typed it,
            and `options.program` its program.
        state_note: end of the message about an interruption or an error: the state of unfinished work; {out} is --out.
            A default `state_note` of the argument parser overrides it.
        errors: errors of the work that are reported in one line, besides those of files, policies and workers.
    """

    name: str
    description: str
    examples: str
    add_arguments: Callable[[Parser], None]
    prepare: Callable[[argparse.Namespace], Work]
    state_note: str = ""
    errors: tuple[type[Exception], ...] = ()

    def main(self, arguments: Sequence[str] | None = None, program: str = "") -> int:
        """Runs the command for `run_command`; bad arguments print one line and exit with status 2.

        Returns the exit status: that of the work, 130 after Ctrl-C, or 1 after an error.
        """
        program = program or f"{MODULE} {self.name}"
        parser = self.parser(program)
        options = parser.parse_args(arguments)
        options.command, options.program = typed_command(program, arguments), program
        note = getattr(options, "state_note", self.state_note).format(out=getattr(options, "out", None))
        from baselines.policy import PolicyError
        from minesweeper_env.inference import PositionTooHardError
        from minesweeper_env.no_guess import GenerationError

        too_hard = (PositionTooHardError, GenerationError)
        reported: tuple[type[Exception], ...] = (OSError, MissingExtraError, *too_hard, WorkerError, PolicyError)
        refused: tuple[type[Exception], ...] = (ValueError, *reported)
        try:
            if getattr(options, "ray", None) is not None:
                check_extra("ray", extra="ray")
            work = self.prepare(options)
        except refused as error:
            parser.error(explain(error))
        try:
            return work() or 0
        except KeyboardInterrupt:
            say(f"{program}: interrupted{note}")
            return INTERRUPTED
        except (*reported, *self.errors) as error:
            # After an error of a policy, the same command would fail again: no hint to resume it.
            say(f"{program}: {explain(error)}{'' if isinstance(error, PolicyError) else note}")
            return FAILED

    def parser(self, program: str) -> Parser:
        """Returns the parser of the command; help and errors call the command `program`."""
        lines = ["examples:", *(f"  {line}" for line in self.examples.format(typed_command(program, ())).splitlines())]
        parser = Parser(prog=program, description=self.description, epilog="\n".join([*lines, ""]))
        self.add_arguments(parser)
        return parser
