"""Shared timing of the benchmarks: one core, interleaved repeats, medians, and tables."""

import argparse
import operator
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

from baselines.cli.command import positive_number, whole_number_from
from minesweeper_env.console import say

Work = Callable[[], int]
"""A piece of work to be timed: a call takes some steps, and returns their number."""


def arguments(description: str, seconds: float, repeats: int) -> argparse.Namespace:
    """Pins the process to one core; returns the options --seconds and --repeats."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    count, duration = whole_number_from(1), positive_number
    parser.add_argument("--seconds", type=duration, default=seconds, help=f"per measurement (default {seconds:g})")
    parser.add_argument("--repeats", type=count, default=repeats, help=f"of each measurement (default {repeats})")
    pin_to_one_core()
    return parser.parse_args()


def pin_to_one_core() -> None:
    """Pins this process to one of its cores, if the operating system allows it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def rate(work: Work, seconds: float) -> float:
    """Repeats a piece of work for at least `seconds` of processor time, and returns its steps per second."""
    steps, start = 0, time.process_time()
    while (elapsed := time.process_time() - start) < seconds:
        steps += work()
    return steps / elapsed


def compare(title: str, works: Mapping[str, Work], options: argparse.Namespace) -> None:
    """Measures works repeatedly; prints the median and best rate of each, and how often the first work is faster.

    The repeats are interleaved, so that disturbances affect all works alike.
    """
    for work in works.values():
        rate(work, options.seconds / 10)  # to warm up
    rates_of: dict[str, list[float]] = {name: [] for name in works}
    for round_ in range(1, options.repeats + 1):
        say(f"round {round_} of {options.repeats}: {', '.join(works)}")
        for name, work in works.items():
            rates_of[name].append(rate(work, options.seconds))
    first_rates, lines = next(iter(rates_of.values())), []
    for name, rates in rates_of.items():
        ratio = statistics.median(map(operator.truediv, first_rates, rates))
        lines.append((name, f"{statistics.median(rates):,.0f}", f"{max(rates):,.0f}", f"{ratio:.2f}"))
    print_table(title, ("", "median", "best", "first / this"), lines)


def print_table(title: str, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Prints a table with the first column aligned left."""
    widths = [max(len(line[column]) for line in (header, *lines)) for column in range(len(header))]
    print(f"\n{title}")
    for line in (header, ["-" * width for width in widths], *lines):
        first, *others = (cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join([first.strip().ljust(widths[0]), *others]).rstrip())


def machine() -> str:
    """Returns a short description of the machine and the interpreter."""
    return f"{platform.machine()}, {os.cpu_count()} cores (one used), Python {platform.python_version()}"
