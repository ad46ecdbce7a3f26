"""Workers that the options --workers and --ray name."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext

from baselines.support.extras import check_extra
from baselines.workers import MakeWorkers, local_workers


def check_workers(options: argparse.Namespace) -> None:
    """Raises a MissingExtraError if --ray is given and Ray is not installed."""
    if options.ray is not None:
        check_extra("ray", "ray")


def chosen_workers(options: argparse.Namespace, policies: Sequence[str]) -> MakeWorkers:
    """Returns the maker of the workers that the options name; the files of these policies travel to other machines."""
    if options.ray is None:
        return local_workers(options.workers)
    from baselines.cluster import ray_workers
    from baselines.registry import policy_files, read_specification

    return ray_workers(
        options.ray, {read_specification(name).base: files for name in policies if (files := policy_files(name))}
    )


@contextmanager
def kept_workers(options: argparse.Namespace, policies: Sequence[str]) -> Generator[int | MakeWorkers]:
    """Yields the workers for several evaluations; a connection to a cluster stays open for all of them."""
    if options.ray is None:
        yield options.workers
        return
    with chosen_workers(options, policies)() as workers:
        yield lambda: nullcontext(workers)
