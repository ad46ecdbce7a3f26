"""What the commands share: a parser whose complaints are one line, and the types of their arguments."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from baselines.support.board_names import parse_size_name

FAILED, BAD_ARGUMENTS, INTERRUPTED = 1, 2, 130
"""Exit statuses; 0 means done."""


class Parser(argparse.ArgumentParser):
    """A parser that takes no abbreviations, and says in one line what is wrong."""

    def __init__(self, **settings: Any) -> None:
        """Passes the settings on to `argparse.ArgumentParser`."""
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        """Prints the message as one line on stderr, and exits with status 2."""
        print(f"{self.prog}: {' '.join(message.split())}", file=sys.stderr)
        sys.exit(BAD_ARGUMENTS)


def parse_size(text: str) -> tuple[int, int]:
    """Returns (rows, cols) of a size such as "8" or "16x30"."""
    try:
        return parse_size_name(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def whole_number_from(least: int) -> Callable[[str], int]:
    """Returns a parser of whole numbers of at least `least`."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,18}", text, re.ASCII) or int(text) < least:
            raise argparse.ArgumentTypeError(f"a whole number of at least {least}, not {text!r}")
        return int(text)

    return parse


def parse_path(text: str) -> Path:
    """Returns a path; an empty text, which would stand for the working folder, is none."""
    if not text:
        raise argparse.ArgumentTypeError("a path, not an empty text")
    return Path(text)


def positive_number(text: str) -> float:
    """Returns a finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"a number above 0, not {text!r}")
    return number
