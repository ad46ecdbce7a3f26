"""Arguments of the command line, checked before any work starts."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from azulejos_env.config import MAX_COLOURS, MAX_SIDE
from azulejos_env.searching.limits import MAX_DEPTH
from minesweeper_env.notices import say

PROGRAM = "python -m azulejos_env"

_USAGE = """%(prog)s -file F (-maxtime S | -depth D) (-visual | -console) [-prune] [-tree [FILE]] [-levels N]
       %(prog)s -file F -generate ROWSxCOLS [-colours K] [-seed N]"""

_EXAMPLES = """examples:
  python -m azulejos_env -file game.txt -generate 10x10 -colours 4 -seed 1
  python -m azulejos_env -file game.txt -depth 6 -console -prune
  python -m azulejos_env -file game.txt -maxtime 5 -visual -prune
  python -m azulejos_env -file game.txt -depth 2 -console -tree tree.svg"""


class _Parser(argparse.ArgumentParser):
    """A parser that reports a bad argument in one line."""

    def error(self, message: str) -> NoReturn:
        say(f"{self.prog}: {' '.join(message.split())}")
        sys.exit(2)


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Returns the options, or exits with status 2 and one line if they are wrong.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
    """
    parser = _make_parser()
    options = parser.parse_args(arguments)
    if options.generate is not None:
        _refuse(parser, options, "-generate", ("maxtime", "depth", "tree", "levels"), ("prune",))
    else:
        _check_search(parser, options)
    return options


def _check_search(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if (options.maxtime is None) == (options.depth is None):
        parser.error("give one limit: -maxtime SECONDS or -depth MOVES")
    mode = "-visual" if options.visual else "-console"
    _refuse(parser, options, mode, ("colours", "seed"), ())
    if options.visual and options.tree is not None:
        parser.error("-tree belongs to -console; a window shows no tree")
    if options.levels is not None and options.tree is None:
        parser.error("-levels belongs to -tree")


def _refuse(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    mode: str,
    values: Sequence[str],
    switches: Sequence[str],
) -> None:
    given = [name for name in values if getattr(options, name) is not None]
    given += [name for name in switches if getattr(options, name)]
    if given:
        parser.error(f"-{given[0]} does not go with {mode}")


def _make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        usage=_USAGE,
        description="Find the best move of a game of Azulejos, play it, or make a random board.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("-file", metavar="F", required=True, help="read the game from F; with -generate, write it to F")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("-console", action="store_true", help="print the best move of the first player")
    mode.add_argument(
        "-visual", action="store_true", help="play the first player in a window; the machine plays the other"
    )
    mode.add_argument("-generate", metavar="ROWSxCOLS", type=_size, help="write a random board of this size")
    parser.add_argument("-maxtime", metavar="S", type=_seconds, help="search for S seconds")
    parser.add_argument("-depth", metavar="D", type=_whole(1, MAX_DEPTH), help="look D moves ahead, 1 to 256")
    parser.add_argument("-prune", action="store_true", help="cut branches that cannot change the move")
    parser.add_argument(
        "-tree", metavar="FILE", nargs="?", const="tree.dot", type=_tree_file,
        help="write the tree to FILE, .dot, .svg, .png or .pdf (default tree.dot)",
    )  # fmt: skip
    parser.add_argument(
        "-levels",
        metavar="N",
        type=_whole(1, MAX_DEPTH),
        help="keep N levels of the tree (default: as many as 5000 positions allow)",
    )
    parser.add_argument("-colours", metavar="K", type=_whole(1, MAX_COLOURS), help="use K colours, 1 to 9 (default 3)")
    parser.add_argument("-seed", metavar="N", type=_whole(0, 1 << 62), help="seed the board with N (default 0)")
    return parser


def _whole(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}, not {text!r}")
        return int(text)

    return parse


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, not {text!r}")
    return seconds


def _size(text: str) -> tuple[int, int]:
    sides = text.lower().split("x")
    if len(sides) in (1, 2) and all(side.isascii() and side.isdigit() and 1 <= int(side) <= MAX_SIDE for side in sides):
        return int(sides[0]), int(sides[-1])
    raise argparse.ArgumentTypeError(f"must be ROWSxCOLS with 1 to {MAX_SIDE} each, such as 10x12, not {text!r}")


def _tree_file(text: str) -> str:
    if Path(text).suffix not in (".dot", ".svg", ".png", ".pdf"):
        raise argparse.ArgumentTypeError(f"must end in .dot, .svg, .png or .pdf, not {text!r}")
    return text
