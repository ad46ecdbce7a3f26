"""Resident memory over ten million steps, which must stay flat.

    python benchmarks/memory.py

Needs /proc (Linux). Exits with 1 if the memory grows by more than 4 MB after the first million steps.
"""

import gc
import os
import sys
from pathlib import Path

import gymnasium
import numpy as np
from timing import pin_to_one_core, print_table

STEPS, GAMES, TOLERANCE = 10_000_000, 1000, 4.0
"""Steps of all games of the batch, of which the single game takes a tenth; the games; the allowed growth in MB."""


def resident_megabytes() -> float:
    """Returns the resident memory of this process in MB."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> int:
    """Prints the memory after each tenth of the random steps, in a batch and in one game; returns the exit code."""
    pin_to_one_core()
    batch = gymnasium.make_vec("minesweeper_env:Minesweeper-v0", num_envs=GAMES, moves=("click",))
    single = gymnasium.make("minesweeper_env:Minesweeper-v0", moves=("click",))
    batch.reset(seed=0)
    single.reset(seed=0)
    rng, memory = np.random.default_rng(0), []
    for _ in range(10):
        for _ in range(STEPS // 10 // GAMES):
            batch.step(batch.unwrapped.sample_actions())
        for action in rng.integers(64, size=STEPS // 100).tolist():
            if any(single.step(action)[2:4]):
                single.reset()
        memory.append(resident_megabytes())
    lines = [(f"{(tenth + 1) * STEPS // 10:,}", f"{megabytes:.1f}") for tenth, megabytes in enumerate(memory)]
    print_table("Resident memory", ("steps", "MB"), lines)
    growth = max(memory[1:]) - memory[0]
    print(f"growth after the first tenth: {growth:.1f} MB")
    return int(growth > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
