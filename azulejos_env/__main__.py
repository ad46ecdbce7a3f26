"""Command line of the game: best move, window, random board, match; the options are those of the program of 2014."""

from __future__ import annotations

import argparse
import math
import os
import secrets
import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

from minesweeper_env.config import whole_number
from minesweeper_env.console import say
from minesweeper_env.escape import counted

if TYPE_CHECKING:
    from azulejos_env.position import Cell, Position
    from azulejos_env.search import SearchResult

PROGRAM = "python -m azulejos_env"

_USAGE = """%(prog)s -file F (-maxtime S | -depth D) (-visual | -console) [-prune] [-tree [FILE] [-levels N]]
       %(prog)s -file F -generate ROWSxCOLS [-colours K] [-seed N]
       %(prog)s match POLICY POLICY ... [--size ROWSxCOLS] [--colours K] [--games N] [--seed N]"""

_SEARCH_OPTIONS = ("maxtime", "depth", "prune", "tree", "levels")
_OPTIONS_OF_MODE = {"console": _SEARCH_OPTIONS, "visual": _SEARCH_OPTIONS, "generate": ("colours", "seed")}
"""The options that each mode uses, beside -file."""

TREE_ENDINGS = (".dot", ".gv")

_EXAMPLES = """a move is the (row,column) of a tile, from 0

examples:
  python -m azulejos_env -file game.txt -generate 10x10 -colours 4 -seed 1
  python -m azulejos_env -file game.txt -depth 6 -console -prune
  python -m azulejos_env -file game.txt -maxtime 5 -visual -prune
  python -m azulejos_env -file game.txt -depth 2 -console -tree tree.dot
  python -m azulejos_env match random greedy minimax:depth=2 --games 1000"""


def _fail(message: str, status: int = 2) -> NoReturn:
    """Prints a message on one line, and ends the command with an exit status."""
    say(f"{PROGRAM}: {' '.join(message.split())}")
    sys.exit(status)


class _Parser(argparse.ArgumentParser):
    """A parser that reports a bad argument in one line."""

    def error(self, message: str) -> NoReturn:
        _fail(message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command with `arguments`, or those of `sys.argv`, and returns 0.

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
            _run_search(options) if options.generate is None else _generate(options)
    except ValueError as error:
        _fail(str(error))
    except OSError as error:
        _fail(": ".join(filter(None, (error.filename, error.strerror or str(error)))), 1)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    return 0


def size(text: str) -> tuple[int, int]:
    """Returns the rows and columns of a text: "10x12", or "10" for a square board."""
    rows, x, cols = text.lower().partition("x")
    return int(rows), int(cols if x else rows)


def _match(words: Sequence[str]) -> None:
    """Plays all pairs of policies, and prints a line for each."""
    from azulejos_env.config import GameConfig
    from azulejos_env.match import play_pair, wilson_interval
    from azulejos_env.policies import find_policy

    parser = _Parser(prog=f"{PROGRAM} match", allow_abbrev=False, description="Play policies against each other.")
    add = parser.add_argument
    add("names", metavar="POLICY", nargs="+", help="random, greedy, minimax, minimax:depth=2, ...")
    add("--size", metavar="ROWSxCOLS", type=size, default=(8, 8), help="size of a board (default 8x8)")
    add("--colours", metavar="K", type=int, default=3, help="1 to 9 (default 3)")
    add("--games", metavar="N", type=int, default=1000, help="games of each pair, two a board (1000)")
    add("--seed", metavar="N", type=int, default=0, help="the first board (default 0)")
    options = parser.parse_args(words)
    policies = {name: find_policy(name) for name in options.names}
    if len(policies) < 2:
        parser.error("give two policies or more")
    rows, cols = options.size
    config = GameConfig(rows, cols, options.colours)
    boards = math.ceil(whole_number("--games", options.games, 2, 10**9) / 2)
    seeds = range(whole_number("--seed", options.seed, 0), options.seed + boards)
    name_width, games = max(map(len, policies)), 2 * len(seeds)
    print(f"Azulejos {rows}x{cols}, {config.colours} colours, boards of seeds {seeds[0]} to {seeds[-1]}")
    header = f"{'policy':<{name_width}}  {'against':<{name_width}}  {'wins':>6} {'ties':>6} {'losses':>6}"
    print(f"{header}  win rate (95 %)")
    for name, other in combinations(policies, 2):
        wins, ties, losses = play_pair(config, seeds, policies[name], policies[other])
        low, high = wilson_interval(wins, games)
        counts = f"{wins:>6} {ties:>6} {losses:>6}"
        rate = f"{wins / games:.1%} ({low:.1%} to {high:.1%})"
        print(f"{name:<{name_width}}  {other:<{name_width}}  {counts}  {rate}", flush=True)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    """Returns the options of the command without `match`; ends the command if they do not fit together."""
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
    mode.add_argument("-generate", metavar="ROWSxCOLS", type=size, help="write a random board of this size")
    add("-maxtime", metavar="S", type=float, help="search for S seconds")
    add("-depth", metavar="D", type=int, help="look D moves ahead, 1 to 256")
    add("-prune", action="store_true", help="cut branches that cannot change the move")
    add("-tree", metavar="FILE", nargs="?", const="tree.dot", help="write the tree as DOT to FILE (default tree.dot)")
    add("-levels", metavar="N", type=int, help="keep N levels of the tree (default: as many as 5000 positions hold)")
    add("-colours", metavar="K", type=int, help="use K colours, 1 to 9 (default 3)")
    add("-seed", metavar="N", type=int, help="seed the board with N (default 0)")
    options = parser.parse_args(words)
    given = [name for name, value in vars(options).items() if value is not None and value is not False]
    mode_name = next(name for name in _OPTIONS_OF_MODE if name in given)
    if refused := [f"-{name}" for name in given if name not in ("file", mode_name, *_OPTIONS_OF_MODE[mode_name])]:
        parser.error(f"-{mode_name} takes no {' and no '.join(refused)}")
    if options.levels is not None and options.tree is None:
        parser.error("-levels needs -tree")
    if options.generate is None and (options.maxtime is None) == (options.depth is None):
        parser.error("give one limit: -maxtime SECONDS or -depth MOVES")
    return options


def _generate(options: argparse.Namespace) -> None:
    from azulejos_env.config import GameConfig
    from azulejos_env.position import Position, random_board, write_game_text

    rows, cols = options.generate
    config = GameConfig(rows, cols, 3 if options.colours is None else options.colours)
    seed = whole_number("-seed", options.seed or 0, 0)
    text = write_game_text(Position(config, random_board(config, seed)))
    # A file with another game may be one that somebody plays.
    _check_target(Path(options.file), "copy of this board", text.__eq__)
    _write(Path(options.file), text, options.file)


def _run_search(options: argparse.Namespace) -> None:
    from gymnasium.error import Error

    from azulejos_env.position import read_game
    from azulejos_env.search import check_limits
    from azulejos_env.window import play

    check_limits(options.depth, options.maxtime, None)
    if options.levels is not None:
        whole_number("-levels", options.levels, 1)
    if options.tree is not None:
        _check_tree(Path(options.tree))
    limit = f"for {options.maxtime:g} s" if options.depth is None else f"{counted(options.depth, 'move')} ahead"
    say(f"Search {options.file} {limit}")
    try:
        position = read_game(options.file)
    except (OSError, ValueError) as error:
        _fail(f"{options.file}: {getattr(error, 'strerror', None) or error}")

    if not options.visual:
        _find_move(position, options, _print_result)
        return
    try:
        play(position, lambda current: cast("Cell", _find_move(current, options).move))
    except Error as error:
        _fail(f"{getattr(error, 'cause', error)}; use -console to get a move without a window", 1)


def _find_move(
    position: Position, options: argparse.Namespace, show: Callable[[SearchResult], object] = lambda _: None
) -> SearchResult:
    """Searches a position, shows the result, and writes the tree of the search with -tree; returns the result."""
    from azulejos_env.search import search
    from azulejos_env.tree import search_tree

    limits = {"depth": options.depth, "seconds": options.maxtime, "prune": options.prune}
    tree = None if options.tree is None else search_tree(position, **limits, levels=options.levels)
    result = search(position, **limits) if tree is None else tree.result
    show(result)
    if tree is not None:
        tree_size = f"{counted(len(tree.nodes), 'position')} of the tree, {counted(tree.levels, 'move')} deep"
        _write(Path(options.tree), tree.dot(), f"{options.tree}: {tree_size}")
    return result


def _print_result(result: SearchResult) -> None:
    """Prints the best move of the first player, and what the search found."""
    if result.move is None:
        leader = "first" if result.value > 0 else "second"
        lead = f"the {leader} player is {counted(abs(result.value), 'point')} ahead"
        print(f"No group is left: the game is over, and {lead if result.value else 'the scores are equal'}.")
        return
    moves = [f"({row},{col})" for row, col in result.line]
    figures = {
        "value": f"{counted(result.value, 'point')} for the first player, {counted(result.depth, 'move')} later",
        "line": " ".join(moves),
        "positions": f"{result.nodes}",
        "depth": f"{result.depth}{', to the end of every line' if result.final else ''}",
        "time": f"{result.seconds:.3f} s",
    }
    print("\n".join([moves[0], *(f"{name:<10} {value}" for name, value in figures.items())]), flush=True)


def _check_tree(path: Path) -> None:
    """Raises a ValueError unless a tree may be written to a path."""
    if path.suffix not in TREE_ENDINGS and not _is_device(path):
        problem = f"-tree needs a file that ends in {' or '.join(TREE_ENDINGS)}, not {path}"
        raise ValueError(f"{problem}; Graphviz makes a picture of it, as in: dot -Tsvg tree.dot -o tree.svg")
    _check_target(path, "tree of Azulejos", _is_tree)


def _is_tree(text: str) -> bool:
    from azulejos_env.tree import BEGINNING  # It imports numba, and few commands meet a file.

    return text.startswith(BEGINNING)


def _check_target(path: Path, kind: str, is_kind: Callable[[str], bool]) -> None:
    """Raises a ValueError if a path cannot be written, or holds a text that is no `kind`, as `is_kind` says."""
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"{path} is a folder" if path.is_dir() else f"the folder of {path} does not exist")
    text = path.read_text("ascii", errors="replace") if path.is_file() and not _is_device(path) else ""
    if text and not is_kind(text):
        raise ValueError(f"{path} exists, and is no {kind}; no other file is replaced")


def _is_device(path: Path) -> bool:
    """Returns whether a path is a device, a pipe, or a link to an open file such as /dev/stdout."""
    folder = path.parent.resolve()
    is_open = path.is_symlink() and (folder == Path("/dev") or folder.is_relative_to("/proc"))
    return path.exists() and (is_open or not path.is_file())


def _write(path: Path, text: str, description: str) -> None:
    """Writes a text to a device, or to a file: under a temporary name first, so that a failure leaves no half file."""
    target = Path(os.path.realpath(path))
    temporary = path if _is_device(path) else target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("a", encoding="ascii") as file:
            file.write(text)
        if temporary is not path:
            temporary.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        if temporary is not path:
            temporary.unlink(missing_ok=True)
    say(f"Wrote {description}")


if __name__ == "__main__":
    sys.exit(main())
