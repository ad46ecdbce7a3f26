"""Command line of the game: best move, window, random board, match; the usage is that of the source of 2014."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from azulejos_env.config import MAX_COLOURS, MAX_SIDE
from minesweeper_env.config import counted
from minesweeper_env.notices import say

PROGRAM = "python -m azulejos_env"

_USAGE = """%(prog)s -file F (-maxtime S | -depth D) (-visual | -console) [-prune] [-tree [FILE]]
       %(prog)s -file F -generate ROWSxCOLS [-colours K] [-seed N]
       %(prog)s match POLICY POLICY ... [--size ROWSxCOLS] [--colours K] [--games N] [--seed N]"""

_EXAMPLES = """examples:
  python -m azulejos_env -file game.txt -generate 10x10 -colours 4 -seed 1
  python -m azulejos_env -file game.txt -depth 6 -console -prune
  python -m azulejos_env -file game.txt -maxtime 5 -visual -prune
  python -m azulejos_env -file game.txt -depth 2 -console -tree tree.dot
  python -m azulejos_env match random greedy minimax:depth=2 --games 1000"""


def _fail(message: str, status: int = 2) -> NoReturn:
    """Ends the command with one line and a status."""
    say(f"{PROGRAM}: {' '.join(message.split())}")
    sys.exit(status)


class _Parser(argparse.ArgumentParser):
    """A parser that reports a bad argument in one line."""

    def error(self, message: str) -> NoReturn:
        _fail(message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command with these words, or those of `sys.argv`, and returns 0.

    Raises:
        SystemExit: 1 when a file cannot be written or no window opens, 2 for wrong arguments or a game that cannot be
            read, 130 after Ctrl-C.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if words[:1] == ["match"]:
            _match(words[1:])
        else:
            options = _parse(words)
            _search(options) if options.generate is None else _generate(options)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    return 0


def _match(words: Sequence[str]) -> None:
    from azulejos_env.match import run_match

    parser = _Parser(prog=f"{PROGRAM} match", allow_abbrev=False, description="Play policies against each other.")
    parser.add_argument("policies", metavar="POLICY", nargs="+", help="random, greedy, minimax, minimax:depth=2, ...")
    parser.add_argument("--size", metavar="ROWSxCOLS", type=_size, default=(8, 8), help="size of a board (default 8x8)")
    parser.add_argument("--colours", metavar="K", type=_whole(1, MAX_COLOURS), default=3, help="1 to 9 (default 3)")
    parser.add_argument(
        "--games", metavar="N", type=_whole(2, 1 << 40), default=1000, help="games of each pair, two a board (1000)"
    )
    parser.add_argument("--seed", metavar="N", type=_whole(0, 1 << 62), default=0, help="the first board (default 0)")
    options = parser.parse_args(words)
    if len(set(options.policies)) < 2:
        parser.error("give two policies or more")
    try:
        run_match(options)
    except ValueError as error:
        _fail(str(error))


def _parse(words: Sequence[str]) -> argparse.Namespace:
    """Returns the options, or exits with status 2 and one line if they are wrong."""
    parser = _make_parser()
    options = parser.parse_args(words)
    searches = ("maxtime", "depth", "tree") if options.generate is not None else ("colours", "seed")
    given = [name for name in searches if getattr(options, name) is not None]
    mode = "-generate" if options.generate is not None else "-visual" if options.visual else "-console"
    if options.generate is None and (options.maxtime is None) == (options.depth is None):
        parser.error("give one limit: -maxtime SECONDS or -depth MOVES")
    if options.visual and options.tree is not None:
        given.append("tree")
    if given:
        parser.error(f"-{given[0]} does not go with {mode}")
    return options


def _make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        usage=_USAGE,
        description="Find the best move of a game of Azulejos, play it, make a random board, or compare policies.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("-file", metavar="F", required=True, help="read the game from F; with -generate, write it to F")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("-console", action="store_true", help="print the best move of the first player")
    mode.add_argument("-visual", action="store_true", help="play the first player in a window against the machine")
    mode.add_argument("-generate", metavar="ROWSxCOLS", type=_size, help="write a random board of this size")
    add("-maxtime", metavar="S", type=_seconds, help="search for S seconds")
    add("-depth", metavar="D", type=_whole(1, 256), help="look D moves ahead, 1 to 256")
    add("-prune", action="store_true", help="cut branches that cannot change the move")
    add("-tree", metavar="FILE", nargs="?", const="tree.dot", help="write the tree as DOT to FILE (default tree.dot)")
    add("-colours", metavar="K", type=_whole(1, MAX_COLOURS), help="use K colours, 1 to 9 (default 3)")
    add("-seed", metavar="N", type=_whole(0, 1 << 62), help="seed the board with N (default 0)")
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
    rows, x, cols = text.lower().partition("x")
    side = _whole(1, MAX_SIDE)
    return side(rows), side(cols if x else rows)


def _generate(options: argparse.Namespace) -> None:
    from azulejos_env.config import GameConfig
    from azulejos_env.files import read_game, write_game_text
    from azulejos_env.position import Position, random_board

    config = GameConfig.of_size(options.generate, colours=options.colours or 3)
    path = Path(options.file)
    if path.is_file():
        try:
            read_game(path)
        except ValueError:
            _fail(f"{path} exists, and is no game of Azulejos; -generate replaces games alone")
    _write(path, write_game_text(Position(config, random_board(config, options.seed or 0))), str(path))


def _search(options: argparse.Namespace) -> None:
    limit = f"for {options.maxtime:g} s" if options.depth is None else f"{counted(options.depth, 'move')} ahead"
    say(f"Search {options.file} {limit}")
    from gymnasium.error import Error

    from azulejos_env.files import read_game
    from azulejos_env.policies import MinimaxPolicy
    from azulejos_env.search import search
    from azulejos_env.tree import search_tree
    from azulejos_env.window import play

    limits = {"depth": options.depth, "seconds": options.maxtime, "prune": options.prune}
    try:
        position = read_game(options.file)
    except (OSError, ValueError) as error:
        _fail(f"{options.file}: {getattr(error, 'strerror', None) or error}")
    if options.visual:
        try:
            play(position, MinimaxPolicy(**limits).choose)
        except Error as error:
            _fail(f"{getattr(error, 'cause', error)}; use -console to get a move without a window", 1)
    elif options.tree is None:
        print(search(position, **limits).text())
    else:
        path = Path(options.tree)
        if not path.parent.is_dir():
            _fail(f"the folder of {path} does not exist")
        tree = search_tree(position, **limits)
        print(tree.result.text(), flush=True)
        size = f"{counted(len(tree.nodes), 'position')} of the tree, {counted(tree.levels, 'move')} deep"
        _write(path, tree.dot(), f"{path}: {size}")


def _write(path: Path, text: str, what: str) -> None:
    try:
        path.write_text(text, "ascii")
    except OSError as error:
        _fail(f"{path}: {error.strerror}", 1)
    say(f"Wrote {what}")


if __name__ == "__main__":
    sys.exit(main())
