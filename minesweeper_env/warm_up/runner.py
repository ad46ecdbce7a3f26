"""Compile parts in worker processes, each as soon as the parts that it needs are there."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib import import_module
from typing import NamedTuple

from minesweeper_env.compilation.cold_start import COLD_START, QUIET
from minesweeper_env.compilation.times import Part


class Compiled(NamedTuple):
    """A part that was compiled, and the seconds that it took."""

    part: Part
    seconds: float


def compile_parts(parts: Sequence[Part], workers: int) -> Iterator[Compiled]:
    """Compiles parts, and yields each when it is done.

    Args:
        parts: the parts; a part that another one needs and that is not given is taken to be there.
        workers: the number of processes, at least 1. Where there can be none, this process compiles.

    Raises:
        Exception: whatever the work of a part raises.
    """
    # Forked workers would share the locks of threads that numba may have running.
    context = multiprocessing.get_context("spawn")
    # The longest parts come first, or one of them would keep a single worker busy at the end.
    waiting = sorted(parts, key=lambda part: -part.total())
    try:
        pool = ProcessPoolExecutor(min(workers, len(parts)), context, _be_quiet)
    except OSError:
        # The locks of worker processes need shared memory, which some containers lack.
        yield from _compile_here(waiting)
        return
    running: dict[Future[float], Part] = {}
    with pool:
        while waiting or running:
            for part in _ready(waiting, running.values()):
                waiting.remove(part)
                running[pool.submit(_compile, part)] = part
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield Compiled(running.pop(future), future.result())


def _ready(waiting: Sequence[Part], running: Iterable[Part] = ()) -> list[Part]:
    """Returns the waiting parts that need no other unfinished part."""
    unfinished = {part.name for part in (*waiting, *running)}
    return [part for part in waiting if not unfinished.intersection(part.after)]


def _compile_here(waiting: list[Part]) -> Iterator[Compiled]:
    """Compiles parts in this process, one after another."""
    caller, COLD_START.caller = COLD_START.caller, QUIET
    try:
        while waiting:
            part = _ready(waiting)[0]
            waiting.remove(part)
            yield Compiled(part, _compile(part))
    finally:
        COLD_START.caller = caller


def _be_quiet() -> None:
    COLD_START.caller = QUIET


def _compile(part: Part) -> float:
    begin = time.perf_counter()
    module, _, name = part.work.partition(":")
    work: Callable[..., object] = getattr(import_module(module), name)
    work(*([part.argument] if part.argument else []))
    return time.perf_counter() - begin
