"""Speed-up of make_vec by threads: steps per second of wall-clock time with 1, 2, ... threads, and their ratio.

The clicks are uniformly random legal ones, drawn outside the measured time, since one thread draws them.

    python benchmarks/threads.py --threads 2
"""

import argparse
import statistics
import time

import gymnasium
from timing import print_table

from baselines.cli.command import whole_number_from
from minesweeper_env.console import say

BATCHES = ((1024, (16, 30), 99), (4096, (8, 8), 14), (4096, (16, 30), 99))
"""The number of games, the size and the mines of each batch."""

STEPS = 50


def steps_per_second(env: gymnasium.vector.VectorEnv) -> float:
    """Returns the steps of all games per second, over `STEPS` steps of the batch."""
    elapsed = 0.0
    for _ in range(STEPS):
        actions = env.unwrapped.sample_actions()
        start = time.perf_counter()
        env.step(actions)
        elapsed += time.perf_counter() - start
    return STEPS * env.num_envs / elapsed


def main() -> None:
    """Prints a line for each batch and number of threads; the repeats are interleaved."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    count = whole_number_from(1)
    parser.add_argument("--threads", type=count, nargs="+", default=[2], help="numbers of threads (default 2)")
    parser.add_argument("--repeats", type=count, default=21, help="of each measurement (default 21)")
    options = parser.parse_args()
    lines = []
    for games, size, mines in BATCHES:
        board = {"size": size, "mines": mines, "moves": ("click",)}
        title = f"{games} games of {size[0]}x{size[1]}/{mines}"
        say(f"{title}: {options.repeats} rounds")
        envs = {n: gymnasium.make_vec("Minesweeper-v0", games, threads=n, **board) for n in (1, *options.threads)}
        for env in envs.values():
            env.reset(seed=0)
            steps_per_second(env)  # to warm up
        rounds = [{n: steps_per_second(env) for n, env in envs.items()} for _ in range(options.repeats)]
        for n in envs:
            median_rate = statistics.median(rates[n] for rates in rounds)
            speed_up = statistics.median(rates[n] / rates[1] for rates in rounds)
            lines.append((title, str(n), f"{median_rate:,.0f}", f"{speed_up:.2f}"))
    print_table("Steps per second by threads", ("", "threads", "median", "this / one thread"), lines)


if __name__ == "__main__":
    main()
