"""Threads against one thread: steps of `make_vec(..., threads=N)`, and batches of exact mine probabilities.

Each number of threads plays the same clicks from the same seed as the plain call. Measurements alternate with the plain
call and are wall-clock time, because threads share it. A ratio is the median over the pairs.

    python benchmarks/threads.py
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence

import gymnasium
import numpy as np
from timing import print_table

from minesweeper_env.inference import mine_probabilities_batch

BOARDS = {"8x8/14": ((8, 8), 14), "16x16/40": ((16, 16), 40), "16x30/99": ((16, 30), 99)}
BATCHES = (64, 1024, 4096)
STEPS_A_CALL = 4

Work = Callable[[], int]
"""A piece of work: returns the number of steps or boards."""


def steps(size: tuple[int, int], mines: int, games: int, threads: int | None) -> Work:
    """Returns work that takes steps with a number of threads; None leaves the argument out."""
    given = {} if threads is None else {"threads": threads}
    env = gymnasium.make_vec("Minesweeper-v0", num_envs=games, size=size, mines=mines, moves=("click",), **given)
    env.reset(seed=0)
    sample_actions = env.unwrapped.sample_actions

    def work() -> int:
        for _ in range(STEPS_A_CALL):
            env.step(sample_actions())
        return STEPS_A_CALL * games

    return work


def boards_in_play(size: tuple[int, int], mines: int, games: int) -> np.ndarray:
    """Returns boards of games after a few random clicks."""
    env = gymnasium.make_vec("Minesweeper-v0", num_envs=games, size=size, mines=mines, moves=("click",))
    observations, _ = env.reset(seed=0)
    boards = observations.copy()
    for _ in range(8):
        observations, _, terminated, _, _ = env.step(env.unwrapped.sample_actions())
        boards[~terminated] = observations[~terminated]
    return boards


def probabilities(boards: np.ndarray, mines: int, threads: int | None) -> Work:
    """Returns work that computes exact probabilities with a number of threads; None leaves the argument out."""
    given = {} if threads is None else {"threads": threads}

    def work() -> int:
        mine_probabilities_batch(boards, mines, **given)
        return len(boards)

    return work


def rate(work: Work, seconds: float) -> float:
    """Returns the rate of a piece of work over at least so many seconds of wall-clock time."""
    done, begin = 0, time.perf_counter()
    while (passed := time.perf_counter() - begin) < seconds:
        done += work()
    return done / passed


def ratios(plain: Work, others: Sequence[Work], seconds: float, repeats: int) -> list[float]:
    """Returns the median ratio of each rate to that of the plain call, over interleaved pairs."""
    for work in (plain, *others):
        work()
    pairs = [[rate(other, seconds) / rate(plain, seconds) for other in others] for _ in range(repeats)]
    return [statistics.median(column) for column in zip(*pairs, strict=True)]


def check_same_games(size: tuple[int, int], mines: int, threads: Sequence[int]) -> None:
    """Raises a SystemExit unless all numbers of threads play the same games and compute the same probabilities."""
    boards = boards_in_play(size, mines, 256)
    expected = mine_probabilities_batch(boards, mines)
    for number in threads:
        board = {"size": size, "mines": mines, "moves": ("click",)}
        envs = [gymnasium.make_vec("Minesweeper-v0", num_envs=256, threads=each, **board) for each in (1, number)]
        one, other = (env.reset(seed=3)[0] for env in envs)
        for _ in range(20):
            actions = envs[0].unwrapped.sample_actions()
            one, other = (env.step(actions)[0] for env in envs)
            if not np.array_equal(one, other):
                raise SystemExit(f"{number} threads play other games")
        if not np.array_equal(mine_probabilities_batch(boards, mines, threads=number), expected):
            raise SystemExit(f"{number} threads compute other probabilities")


def main() -> None:
    """Measures and prints everything."""
    parser = argparse.ArgumentParser(description="Measure threads of batches, as ratios to one thread.")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="numbers of threads (default 1 2)")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds per measurement (default 0.5)")
    parser.add_argument("--repeats", type=int, default=7, help="interleaved pairs (default 7)")
    options = parser.parse_args()
    if options.seconds <= 0 or min(options.repeats, *options.threads) < 1:
        parser.error("--seconds must be more than 0, --repeats and --threads at least 1")
    print(f"{os.cpu_count()} cores")
    header = ("", *(f"{number} threads / plain" for number in options.threads))
    lines = {"steps of make_vec": [], "exact mine probabilities": []}
    for name, (size, mines) in BOARDS.items():
        check_same_games(size, mines, options.threads)
        for batch in BATCHES:
            boards = boards_in_play(size, mines, batch)
            works = {
                "steps of make_vec": [steps(size, mines, batch, number) for number in (None, *options.threads)],
                "exact mine probabilities": [probabilities(boards, mines, each) for each in (None, *options.threads)],
            }
            for title, (plain, *others) in works.items():
                found = ratios(plain, others, options.seconds, options.repeats)
                lines[title].append((f"{name}, {batch} boards", *(f"{ratio:.2f}" for ratio in found)))
    for title, rows in lines.items():
        print_table(title, header, rows)


if __name__ == "__main__":
    main()
