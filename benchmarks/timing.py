"""What the benchmarks share: one core, interleaved repeats, medians, and a table."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

Work = Callable[[], int]
"""A piece of work: it takes some steps and returns how many."""


def arguments(description: str, seconds: float, repeats: int) -> argparse.Namespace:
    """Returns the command line's --seconds and --repeats, checked, after pinning the process to one core."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seconds", type=float, default=seconds, help="time for each measurement")
    parser.add_argument("--repeats", type=int, default=repeats, help="measurements of each kind, interleaved")
    parsed = parser.parse_args()
    if parsed.seconds <= 0 or parsed.repeats < 1:
        parser.error("--seconds must be more than 0 and --repeats at least 1")
    pin_to_one_core()
    return parsed


def pin_to_one_core() -> None:
    """Keeps this process on one of the cores it may use, where the operating system allows that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def rate(work: Work, seconds: float) -> float:
    """Returns how many steps a second a piece of work takes, over at least `seconds` of the core's time.

    The time in which the core served other processes does not count; on an idle machine there is none.
    """
    steps = 0
    start = time.process_time()
    while (passed := time.process_time() - start) < seconds:
        steps += work()
    return steps / passed


def rates(works: Mapping[str, Work], seconds: float, repeats: int) -> dict[str, list[float]]:
    """Measures each piece of work `repeats` times, taking turns, so that all meet the same disturbances."""
    for work in works.values():
        rate(work, seconds / 10)
    measured: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            measured[name].append(rate(work, seconds))
    return measured


def median_ratio(first: Sequence[float], second: Sequence[float]) -> float:
    """Returns the median of the ratios of measurements that were made one after the other."""
    return statistics.median(a / b for a, b in zip(first, second, strict=True))


def rows(measured: Mapping[str, Sequence[float]]) -> list[tuple[str, str, str]]:
    """Returns for each piece of work its name, median and best rate, as text."""
    return [(name, f"{statistics.median(all_):,.0f}", f"{max(all_):,.0f}") for name, all_ in measured.items()]


def print_table(title: str, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Prints lines of text in columns, the first one aligned left."""
    widths = [max(len(line[column]) for line in (header, *lines)) for column in range(len(header))]
    print(f"\n{title}")
    for line in (header, ["-" * width for width in widths], *lines):
        first, *others = (cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join([first.strip().ljust(widths[0]), *others]).rstrip())


def machine() -> str:
    """Returns the machine and the interpreter in a few words."""
    return f"{platform.machine()}, {os.cpu_count()} cores (one used), Python {platform.python_version()}"
