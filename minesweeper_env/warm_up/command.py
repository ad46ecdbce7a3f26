"""Command that compiles all kernels ahead and prints the folder of the compiled code."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from textwrap import fill
from typing import NoReturn

from minesweeper_env.compilation.live_line import live_line, say
from minesweeper_env.compilation.times import PARTS, Part

PROGRAM = "python -m minesweeper_env.warm_up"

CORE = tuple(part for part in PARTS if part.package == "minesweeper_env")
"""The parts of the environment and the inference, which need no optional dependency."""

ENOUGH_MEMORY = 2
"""The number of workers of a machine with many cores, where --workers is left out: each takes half a gigabyte."""


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM, parts: Sequence[Part] = CORE) -> int:
    """Runs the command; bad arguments exit with status 2 and one line.

    Args:
        arguments: words of the command line, without the program; None takes those of `sys.argv`.
        program: name of the command, as the user typed it.
        parts: the parts to choose from.

    Returns:
        0 when all is compiled, 1 when compiled code cannot be stored or a worker fails, 130 after Ctrl-C.
    """
    options = _make_parser(program, parts).parse_args(arguments)
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        print("Nothing to do: NUMBA_DISABLE_JIT is set, so nothing is compiled", file=sys.stderr)
        return 0
    chosen = _with_needed(options.what or [part.name for part in parts], parts)
    try:
        return _warm_up(chosen, options.workers)
    except KeyboardInterrupt:
        print(f"{program}: interrupted; re-run the command to compile the rest", file=sys.stderr)
        return 130
    except (RuntimeError, OSError) as error:
        print(f"{program}: {' '.join(str(error).split())}", file=sys.stderr)
        return 1


class _Parser(argparse.ArgumentParser):
    """A parser that reports a bad argument in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {' '.join(message.split())}", file=sys.stderr)
        sys.exit(2)


def _make_parser(program: str, parts: Sequence[Part]) -> argparse.ArgumentParser:
    names = [part.name for part in parts]
    parser = _Parser(
        prog=program,
        description="Compile the kernels ahead, so that no later command waits for the compiler.",
        epilog=fill(f"parts: {', '.join(names)}", 78, subsequent_indent="  ", break_on_hyphens=False)
        + f"\n\nexamples:\n  {program}\n  {program} engine oracle --workers 1",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "what",
        nargs="*",
        metavar="PART",
        type=_one_of(names),
        help="compile these parts and those they need (default all)",
    )
    default = min(ENOUGH_MEMORY, os.cpu_count() or 1)
    parser.add_argument(
        "--workers", type=_at_least_one, default=default, metavar="N", help=f"use N processes (default {default})"
    )
    return parser


def _one_of(names: Sequence[str]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(f"there is no part {text!r}; there are {', '.join(names)}")
        return text

    return parse


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(text)


def _with_needed(names: Sequence[str], parts: Sequence[Part]) -> list[Part]:
    """Returns the named parts and all that they need, in the order of `parts`."""
    needed = set(names)
    for part in reversed(parts):
        if part.name in needed:
            needed.update(part.after)
    return [part for part in parts if part.name in needed]


def _warm_up(parts: Sequence[Part], workers: int) -> int:
    """Compiles what is missing, and says where it lies; returns the exit status."""
    say(f"Look for the compiled code of {', '.join(part.name for part in parts)}")
    from minesweeper_env.warm_up.cache import cache_folders, cached_kernels, place_of, size_of
    from minesweeper_env.warm_up.runner import compile_parts

    begin = time.perf_counter()
    with live_line():
        parts = [part for part in parts if _is_installed(part)]
        left = [part for part in parts if cached_kernels(part) < set(part.seconds)]
    if left:
        count = min(workers, len(left))
        seconds = _processor_seconds(left, count)
        processes = f"{count} process{'es' if count > 1 else ''}"
        say(f"Compile {len(left)} of {len(parts)} parts in {processes}, about {seconds:.0f} s of processor time")
    with live_line():
        for number, (part, seconds) in enumerate(compile_parts(left, workers) if left else (), 1):
            say(f"  {part.label}: {seconds:.0f} s ({number} of {len(left)})")
    folders = cache_folders(parts)
    done = f"Compiled in {time.perf_counter() - begin:.0f} s" if left else "Nothing to do: everything is compiled"
    print(f"{done}; the compiled code lies in {place_of(folders)} ({size_of(folders) / 1e6:.1f} MB)")
    return 0


def _processor_seconds(parts: Sequence[Part], workers: int) -> float:
    """Returns the estimate for all parts, where each process compiles the functions of exact counting once."""
    counting = sorted((part.counting for part in parts), reverse=True)[:workers]
    return sum(part.total(has_counting=True) for part in parts) + sum(counting)


def _is_installed(part: Part) -> bool:
    """Returns whether the optional dependencies of a part are installed, and says so if they are not."""
    missing = [module for module in part.extras if find_spec(module) is None]
    if missing:
        say(f"  {part.label} is left out: {', '.join(missing)} is not installed")
    return not missing
