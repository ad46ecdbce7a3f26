"""Executors that the options --workers and --ray name."""

from __future__ import annotations

import argparse
from collections.abc import Generator
from contextlib import contextmanager, nullcontext

from baselines.executors.executor import MakeWorkers
from baselines.executors.processes import local_workers
from baselines.support.extras import check_extra


def check_workers(options: argparse.Namespace) -> None:
    """Raises a MissingExtraError if --ray is given and Ray is not installed."""
    if options.ray is not None:
        check_extra("ray", "ray")


def chosen_workers(options: argparse.Namespace) -> MakeWorkers:
    """Returns the maker of the executor that the options name."""
    if options.ray is None:
        return local_workers(options.workers)
    from baselines.cluster.pool import ray_workers

    return ray_workers(options.ray)


@contextmanager
def kept_workers(options: argparse.Namespace) -> Generator[int | MakeWorkers]:
    """Yields the workers for several evaluations; a connection to a cluster stays open for all of them."""
    if options.ray is None:
        yield options.workers
        return
    with chosen_workers(options)() as workers:
        yield lambda: nullcontext(workers)
