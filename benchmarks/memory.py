"""Resident memory over ten million steps, which must stay flat.

    python benchmarks/memory.py

Needs /proc (Linux). Exits with 1 if the memory grows by more than --tolerance MB after the first million steps.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from pathlib import Path

import gymnasium
import numpy as np
from timing import pin_to_one_core, print_table

import minesweeper_env  # noqa: F401

GAMES = 1000
STATM = Path("/proc/self/statm")


def resident_megabytes() -> float:
    """Returns the resident memory of this process in MB."""
    gc.collect()
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def play_batch(env: gymnasium.vector.VectorEnv, steps: int) -> None:
    """Takes about `steps` random steps in a batch of games."""
    for _ in range(steps // GAMES):
        env.step(env.unwrapped.sample_actions())


def play_single(env: gymnasium.Env, steps: int, random: np.random.Generator) -> None:
    """Takes random steps in single games, one after the other."""
    for action in random.integers(64, size=steps).tolist():
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()


def main() -> int:
    """Prints the memory after each tenth of the steps; returns the exit code."""
    parser = argparse.ArgumentParser(description="Resident memory over many steps.")
    parser.add_argument("--steps", type=int, default=10_000_000, help="steps of the batch; single games take a tenth")
    parser.add_argument("--tolerance", type=float, default=4.0, help="allowed growth in MB (default 4)")
    options = parser.parse_args()
    pin_to_one_core()
    batch = gymnasium.make_vec("Minesweeper-v0", num_envs=GAMES, moves=("click",))
    batch.reset(seed=0)
    single = gymnasium.make("Minesweeper-v0", moves=("click",))
    single.reset(seed=0)
    random = np.random.default_rng(0)
    memory = []
    for _ in range(10):
        play_batch(batch, options.steps // 10)
        play_single(single, options.steps // 100, random)
        memory.append(resident_megabytes())
    lines = [(f"{(part + 1) * options.steps // 10:,}", f"{held:.1f}") for part, held in enumerate(memory)]
    print_table("Resident memory", ("steps", "MB"), lines)
    growth = max(memory[1:]) - memory[0]
    print(f"growth after the first tenth: {growth:.1f} MB")
    return int(growth > options.tolerance)


if __name__ == "__main__":
    sys.exit(main())
