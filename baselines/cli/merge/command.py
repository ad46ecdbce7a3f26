"""`python -m baselines merge`: put the shards of a suite together."""

from __future__ import annotations

import argparse
import secrets
import shutil
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from baselines.cli.arguments import FAILED, INTERRUPTED, SUITE_NEEDS, Parser, add_wide, parse_path
from baselines.cli.failures import explain
from baselines.cli.start import MODULE, announce
from baselines.policy import PolicyError
from baselines.sharding.folders import ShardFolder, read_shards
from baselines.support.extras import MissingExtraError, check_extra
from minesweeper_env.compilation.live_line import live_line

PROGRAM = f"{MODULE} merge"
EXAMPLES = """\
examples:
  {0} runs/ladder runs/ladder-1 runs/ladder-2 runs/ladder-3 runs/ladder-4
  {0} runs/learned runs/learned-1 runs/learned-2 --wide
"""

Merge = Callable[[Path], object]
"""Writes the files of the whole into a folder."""


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command; bad arguments, and shards that do not belong together, exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.

    Returns:
        0 when all is done, 130 after Ctrl-C, 1 when a file could not be written. Only 0 leaves a folder behind.
    """
    parser = _make_parser(program)
    options = parser.parse_args(arguments)
    try:
        shards = _check(options)
        announce(f"Merge {len(shards)} shards into {options.out}")
        with live_line():
            merge = _prepare(shards, options)
    except (ValueError, OSError, PolicyError, MissingExtraError) as error:
        parser.error(explain(error))
    except KeyboardInterrupt:
        return _interrupted()
    try:
        with _new_folder(options.out) as folder:
            merge(folder)
    except KeyboardInterrupt:
        return _interrupted()
    except (ValueError, OSError) as error:
        print(f"{program}: {explain(error)}; nothing was written", file=sys.stderr)
        return FAILED
    print(f"wrote {options.out}", file=sys.stderr)
    return 0


def _interrupted() -> int:
    print("interrupted: nothing was written", file=sys.stderr)
    return INTERRUPTED


def _make_parser(program: str) -> Parser:
    parser = Parser(
        prog=program,
        description="Put all shards of a suite together, as if one command had played all of its games.",
        epilog=EXAMPLES.format(program),
    )
    parser.add_argument("out", type=parse_path, metavar="OUT", help="write the whole into this new folder")
    parser.add_argument(
        "shards", type=parse_path, nargs="+", metavar="SHARD", help="read the folders of all shards, in any order"
    )
    add_wide(parser)
    return parser


def _check(options: argparse.Namespace) -> list[ShardFolder]:
    """Checks what needs no heavy import; returns the shards in order.

    Raises:
        ValueError: the new folder exists, or the folders are not all shards of the same work.
        MissingExtraError: a package is not installed.
    """
    if options.out.exists() or options.out.is_symlink():
        raise ValueError(f"{options.out} exists; the first folder is a new one, for the whole")
    for module in SUITE_NEEDS:
        check_extra(module)
    return read_shards(options.shards)


def _prepare(shards: Sequence[ShardFolder], options: argparse.Namespace) -> Merge:
    """Checks that all shards are finished; returns what writes the whole."""
    from baselines.cli.merge.suites import prepare_suite

    return prepare_suite(shards, options.out, options.wide)


@contextmanager
def _new_folder(out: Path) -> Generator[Path]:
    """Yields a hidden folder beside `out`, which gets that name at the end, or is removed after an error."""
    folder = out.absolute().with_name(f".{out.name}.{secrets.token_hex(4)}.merging")
    folder.mkdir(parents=True)
    try:
        yield folder
        folder.rename(out)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
