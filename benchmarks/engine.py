"""Steps per second of the engine on one core: the bare kernel, make_vec with 1024 games, and make.

The clicks are uniformly random legal ones. `sample_actions()` draws them within the measured time, and ended games are
reset. "bare kernel" calls the compiled code on preallocated arrays: the same draws, games, codes and masks, without
Python objects, copies and checks. "make" repeats 1000 games of recorded clicks, resets included.

    python benchmarks/engine.py
"""

from __future__ import annotations

import gymnasium
import numpy as np
from timing import Work, arguments, machine, median_ratio, print_table, rates, rows

import minesweeper_env
from minesweeper_env import BoardConfig
from minesweeper_env.engine import kernels
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import RESTART, RewardWeights

GAMES = 1024
BOARDS = {"8x8, 14 mines": ((8, 8), 14), "16x30, 99 mines": ((16, 30), 99)}
BATCHES_A_CALL = 10


def bare_kernel(size: tuple[int, int], mines: int) -> Work:
    """Returns work that calls only the two kernels: one draws actions, the other takes steps."""
    config = BoardConfig.of_size(size, mines, moves=("click",))
    games = Games(config, GAMES, RewardWeights(win=1.0, loss=-1.0))
    games.seed(np.arange(GAMES, dtype=np.uint64))
    games.reset(np.ones(GAMES, np.bool_))
    state = games.arrays
    sampler, actions = np.ones(1, np.uint64), np.empty(GAMES, np.int64)
    codes = np.empty((GAMES, config.cells), np.int8)
    masks = np.empty((GAMES, 1, config.cells), np.int8)
    rewards, events, opened = np.empty(GAMES), np.empty((5, GAMES), np.bool_), np.empty(GAMES, np.int64)

    def work() -> int:
        for _ in range(BATCHES_A_CALL):
            kernels.sample_batch(sampler, actions, *state)
            kernels.play_batch(actions, RESTART, codes, masks, rewards, events, opened, *state)
        return GAMES * BATCHES_A_CALL

    return work


def through_make_vec(size: tuple[int, int], mines: int) -> Work:
    """Returns work that takes steps through `gymnasium.make_vec`, as a user does."""
    env = gymnasium.make_vec("Minesweeper-v0", num_envs=GAMES, size=size, mines=mines, moves=("click",))
    env.reset(seed=0)
    sample_actions = env.unwrapped.sample_actions

    def work() -> int:
        for _ in range(BATCHES_A_CALL):
            env.step(sample_actions())
        return GAMES * BATCHES_A_CALL

    return work


def recorded_games(env: gymnasium.Env, count: int) -> list[list[int]]:
    """Returns uniformly random legal clicks for the first `count` games of seed 0, one list per game."""
    random = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    games = []
    for _ in range(count):
        actions: list[int] = []
        over = False
        while not over:
            actions.append(int(random.choice(np.flatnonzero(info["action_mask"]))))
            _, _, over, _, info = env.step(actions[-1])
        games.append(actions)
        _, info = env.reset()
    return games


def through_make(size: tuple[int, int], mines: int) -> Work:
    """Returns work that plays recorded games through `gymnasium.make`; resets take time but do not count as steps."""
    env = gymnasium.make("Minesweeper-v0", size=size, mines=mines, moves=("click",))
    games = recorded_games(env, 1000)
    steps = sum(len(actions) for actions in games)

    def work() -> int:
        env.reset(seed=0)
        for actions in games:
            for action in actions:
                env.step(action)
            env.reset()
        return steps

    return work


def state_bytes(size: tuple[int, int], mines: int) -> int:
    """Returns the size in bytes of all arrays that hold the state of 1024 games."""
    games = Games(BoardConfig.of_size(size, mines, moves=("click",)), GAMES, RewardWeights())
    return sum(array.nbytes for array in games.arrays if isinstance(array, np.ndarray))


def main() -> None:
    """Prints a table for each board."""
    options = arguments("Measure the steps per second of the engine on one core.", seconds=1.0, repeats=9)
    print(f"minesweeper_env {minesweeper_env.__version__}, gymnasium {gymnasium.__version__}, {machine()}")
    for title, (size, mines) in BOARDS.items():
        works = {
            "bare kernel": bare_kernel(size, mines),
            f"make_vec, {GAMES} games": through_make_vec(size, mines),
            "make, one game": through_make(size, mines),
        }
        measured = rates(works, options.seconds, options.repeats)
        print_table(f"{title}: steps per second", ("", "median", "best"), rows(measured))
        kernel, vector, _ = measured.values()
        print(f"make_vec / bare kernel, median of {options.repeats} pairs: {median_ratio(vector, kernel):.2f}")
        print(f"state of {GAMES} games: {state_bytes(size, mines) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
