"""The command: find the best move, open the window, or make a board."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from azulejos_env.cli.arguments import PROGRAM, parse_arguments
from minesweeper_env.config import counted
from minesweeper_env.notices import say


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.

    Returns:
        0 when all is done, 1 when a file cannot be written, 2 when the game cannot be read, 130 after Ctrl-C.
    """
    options = parse_arguments(arguments)
    try:
        if options.generate is not None:
            return _generate(options)
        return _search(options)
    except KeyboardInterrupt:
        say(f"{PROGRAM}: interrupted")
        return 130
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.strerror else str(error), 1)


def _generate(options: argparse.Namespace) -> int:
    from azulejos_env.config import GameConfig
    from azulejos_env.files import read_game, write_file, write_game_text
    from azulejos_env.position import Position, random_board

    rows, cols = options.generate
    config = GameConfig(rows, cols, options.colours or 3)
    path = Path(options.file)
    if path.is_file():
        try:
            read_game(path)
        except ValueError:
            return _complain(f"{path} exists, and is no game of Azulejos; -generate replaces games alone", 2)
    write_file(path, write_game_text(Position(config, random_board(config, options.seed or 0))).encode())
    say(f"Wrote {options.file}")
    return 0


def _search(options: argparse.Namespace) -> int:
    limit = f"for {options.maxtime:g} s" if options.depth is None else f"{counted(options.depth, 'move')} ahead"
    say(f"Search {options.file} {limit}")
    from azulejos_env.cli.report import report_move
    from azulejos_env.files import read_game
    from azulejos_env.tree import check_tree_file

    try:
        if options.tree is not None:
            check_tree_file(Path(options.tree))
    except OSError as error:
        return _complain(str(error), 2)
    try:
        position = read_game(options.file)
    except OSError as error:
        return _complain(f"{options.file}: {error.strerror}", 2)
    except ValueError as error:
        return _complain(f"{options.file}: {error}", 2)
    if options.visual:
        from azulejos_env.policies import MinimaxPolicy
        from azulejos_env.window.game import play

        machine = MinimaxPolicy(depth=options.depth, seconds=options.maxtime, prune=options.prune)
        return play(PROGRAM, position, machine)
    report_move(position, options)
    return 0


def _complain(message: str, status: int) -> int:
    say(f"{PROGRAM}: {message}")
    return status
