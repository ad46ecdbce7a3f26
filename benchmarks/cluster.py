"""Cost of a cluster of Ray: against the local pool, for each unit of work, and with hundreds of processors.

ladder: the suite `ladder` with 2 processors of Ray and with 2 local processes, in interleaved pairs. Both must store
the same games. The time begins with the executor and ends with the last unit.

units: units without work on 2 processors of Ray. A unit's overhead is the time of a processor that it takes; the
driver's share is its processor time.

simulated: units of 3 seconds on 500 processors. The driver hands them out for real, and spends on each the processor
time measured before; the workers are simulated, because 500 processes do not fit on one machine.

    python benchmarks/cluster.py
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from idle_player import IdleTask, idle_assignment
from simulated_workers import SimulatedWorkers
from timing import print_table

from baselines.cluster.connection import LOCAL, connected
from baselines.cluster.pool import RayPool
from baselines.evaluation.records import Batch
from baselines.evaluation.units.loop import play_units
from baselines.evaluation.units.schedule import Schedule
from baselines.executors.executor import MakeWorkers, Workers
from baselines.executors.processes import local_workers
from baselines.suites.definitions import find_suite
from baselines.suites.run import SuiteRun
from minesweeper_env.notices import say

CPUS = 2
LEAST_EFFICIENCY, MOST_UNIT_MS, MOST_DRIVER_MS, LEAST_BUSY = 0.95, 15.0, 5.0, 0.95
"""What the measurements are checked against."""

SIMULATED_CPUS, SIMULATED_SECONDS = 500, 3.0
LEAST_PLAY_SECONDS = 60.0


class Costs(NamedTuple):
    """Costs of a unit without work, in milliseconds."""

    unit: float
    driver: float


@contextmanager
def ray_with_cpus(cpus: int) -> Generator[Workers]:
    """Yields an executor on a cluster of this machine with so many processors."""
    with connected(LOCAL, cpus) as connection:
        pool = RayPool(connection)
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def timed(make_workers: MakeWorkers, seconds: list[float]) -> Generator[Workers]:
    """Yields the executor that a function makes, and appends the seconds of its use to a list."""
    with make_workers() as workers:
        begin = time.perf_counter()
        yield workers
        seconds.append(time.perf_counter() - begin)


def play_ladder(folder: Path, games: int, make_workers: MakeWorkers) -> float:
    """Plays the ladder into a folder; returns the seconds."""
    seconds: list[float] = []
    run = SuiteRun.of(find_suite("ladder"), folder, None, games, "benchmarks/cluster.py")
    run.play(partial(timed, make_workers, seconds))
    return seconds[0]


def games_of(folder: Path, games: int) -> list[object]:
    """Returns the stored games of each task."""
    run = SuiteRun.of(find_suite("ladder"), folder, None, games, "benchmarks/cluster.py")
    return [[record for part in parts for record in part.records] for parts in run.read_parts()]


def ladder(games: int, repeats: int) -> float:
    """Prints the times of interleaved pairs; returns the median efficiency of Ray.

    Raises:
        SystemExit: the games differ.
    """
    makers: dict[str, MakeWorkers] = {"local": local_workers(CPUS), "ray": partial(ray_with_cpus, CPUS)}
    pairs = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            pairs.append({name: play_ladder(Path(folder, name), games, make) for name, make in makers.items()})
            if games_of(Path(folder, "ray"), games) != games_of(Path(folder, "local"), games):
                raise SystemExit("Ray and the local pool stored different games")
    lines = [(f"{pair['local']:.1f}", f"{pair['ray']:.1f}", f"{pair['local'] / pair['ray']:.3f}") for pair in pairs]
    print_table(f"ladder, {games} games each, seconds", ("local pool", "Ray", "efficiency"), lines)
    if any(seconds < LEAST_PLAY_SECONDS for pair in pairs for seconds in pair.values()):
        print(f"A measurement is shorter than {LEAST_PLAY_SECONDS:.0f} seconds: take more --games.")
    return statistics.median(pair["local"] / pair["ray"] for pair in pairs)


def play_idle(units: int, seconds: float, make_workers: MakeWorkers) -> int:
    """Plays units of one batch each; returns their number."""
    schedule = Schedule([IdleTask(units)], unit_seconds=0)
    played = 0
    for each in play_units([idle_assignment(units, seconds)], schedule, make_workers):
        schedule.finish(each.unit, each.seconds)
        played += each.unit.games
    return played


def costs_of_units(units: int) -> Costs:
    """Returns what units without work cost on Ray."""
    with ray_with_cpus(CPUS) as pool:
        make_workers = partial(_nothing, pool)
        play_idle(10 * CPUS, 0.0, make_workers)
        begin, work = time.perf_counter(), time.process_time()
        played = play_idle(units, 0.0, make_workers)
        seconds, work = time.perf_counter() - begin, time.process_time() - work
    if played != units:
        raise SystemExit(f"{played} of {units} units were played")
    return Costs(1000 * CPUS * seconds / units, 1000 * work / units)


@contextmanager
def _nothing(pool: Workers) -> Generator[Workers]:
    """Yields an executor that stays open."""
    yield pool


def busy_share(rounds: int, driver_ms: float) -> float:
    """Returns the share of the time in which simulated processors are busy."""
    units = rounds * SIMULATED_CPUS
    result = [Batch([], SIMULATED_SECONDS, {})]
    with SimulatedWorkers(SIMULATED_CPUS, SIMULATED_SECONDS, driver_ms / 1000, result) as workers:
        begin = time.perf_counter()
        if play_idle(units, SIMULATED_SECONDS, partial(_nothing, workers)) != units:
            raise SystemExit("units were lost")
        return units * SIMULATED_SECONDS / (SIMULATED_CPUS * (time.perf_counter() - begin))


def main() -> int:
    """Measures and prints everything; returns 1 if a measurement misses its bound."""
    parser = argparse.ArgumentParser(description="Measure what a cluster of Ray costs, on an idle machine.")
    parser.add_argument("--games", type=int, default=1500, help="games of each policy of the ladder (default 1500)")
    parser.add_argument("--repeats", type=int, default=3, help="pairs of ladders (default 3)")
    parser.add_argument("--units", type=int, default=2000, help="units without work (default 2000)")
    parser.add_argument("--rounds", type=int, default=20, help="units of each simulated processor (default 20)")
    options = parser.parse_args()
    if min(options.games, options.repeats, options.units, options.rounds) < 1:
        parser.error("all numbers must be at least 1")
    say(f"{options.units} units without work on {CPUS} processors of Ray")
    costs = costs_of_units(options.units)
    say(f"{SIMULATED_CPUS} simulated processors: {options.rounds * SIMULATED_SECONDS:.0f} seconds")
    busy = busy_share(options.rounds, costs.driver)
    efficiency = ladder(options.games, options.repeats)
    lines = [
        ("Ray / local pool, ladder", f"{efficiency:.3f}", f"at least {LEAST_EFFICIENCY}"),
        ("overhead per unit, ms", f"{costs.unit:.1f}", f"at most {MOST_UNIT_MS:.0f}"),
        ("driver's processor per unit, ms", f"{costs.driver:.2f}", f"at most {MOST_DRIVER_MS:.0f}"),
        (f"{SIMULATED_CPUS} simulated processors, busy", f"{busy:.3f}", f"at least {LEAST_BUSY}"),
    ]
    print_table("Summary", ("", "measured", "bound"), lines)
    is_good = efficiency >= LEAST_EFFICIENCY and busy >= LEAST_BUSY
    return 0 if is_good and costs.unit <= MOST_UNIT_MS and costs.driver <= MOST_DRIVER_MS else 1


if __name__ == "__main__":
    sys.exit(main())
