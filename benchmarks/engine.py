"""Steps per second of the engine on one core: make_vec with 1024 games, the bare kernel, make, and perhaps Jumanji.

The clicks are uniformly random legal ones. `sample_actions()` draws them within the measured time, and ended games are
reset. "bare kernel" has the same draws, games, codes and masks, without Python objects, copies and checks. More tables
compare a step with `get_state` and `set_state`, and time games that `exact` plays with and without luck.

If Jumanji is installed (`pip install jumanji`), its Minesweeper plays 1024 games, too, in one compiled loop with a lazy
reset, which makes boards only for the games that have ended: the fastest of its kind. Its rules do less: a click opens
one cell (no flood fill), and the first click may be on a mine.

    python benchmarks/engine.py
"""

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np
from timing import Work, arguments, compare, machine

import minesweeper_env
from baselines.scripted.oracle_play.exact import ExactPolicy
from minesweeper_env import BoardConfig
from minesweeper_env.engine import kernels
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import RESTART, RewardWeights

GAMES, SAVED_GAMES = 1024, 256
BOARDS = {"8x8, 14 mines": ((8, 8), 14), "16x30, 99 mines": ((16, 30), 99)}
STEPS_A_WORK, CALLS_A_WORK = 50, 20  # Steps in a work with a loop of its own, and calls in a work of `repeated`.


def repeated(call: Callable[[], object], games: int) -> Work:
    """Returns work that repeats a call; each call counts as one step of `games` games."""

    def work() -> int:
        for _ in range(CALLS_A_WORK):
            call()
        return games * CALLS_A_WORK

    return work


def bare_kernel(games: Games) -> Work:
    """Returns work that calls only two kernels, on arrays made once: one draws actions, the other takes steps."""
    games.seed(np.arange(GAMES, dtype=np.uint64))
    games.reset(np.ones(GAMES, np.bool_))
    state, cells = games.arrays, games.config.cells
    sampler, actions = np.ones(1, np.uint64), np.empty(GAMES, np.int64)
    codes, masks = np.empty((GAMES, cells), np.int8), np.empty((GAMES, 1, cells), np.int8)
    rewards, events, opened = np.empty(GAMES), np.empty((5, GAMES), np.bool_), np.empty(GAMES, np.int64)

    def step() -> None:
        kernels.sample_batch(sampler, actions, *state)
        kernels.play_batch(actions, RESTART, codes, masks, rewards, events, opened, *state)

    return repeated(step, GAMES)


def through_make_vec(size: tuple[int, int], mines: int) -> Work:
    """Returns work that takes steps through `gymnasium.make_vec`, as a user does."""
    env = gymnasium.make_vec("Minesweeper-v0", num_envs=GAMES, size=size, mines=mines, moves=("click",))
    env.reset(seed=0)
    sample_actions = env.unwrapped.sample_actions
    return repeated(lambda: env.step(sample_actions()), GAMES)


def through_make(size: tuple[int, int], mines: int) -> Work:
    """Returns work that repeats the clicks and resets of 1000 random games through `gymnasium.make`."""
    env, rng = gymnasium.make("Minesweeper-v0", size=size, mines=mines, moves=("click",)), np.random.default_rng(0)
    clicks_of_games: list[list[int]] = []
    _, info = env.reset(seed=0)
    for _ in range(1000):
        clicks, over = list[int](), False
        while not over:
            clicks.append(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            _, _, over, _, info = env.step(clicks[-1])
        clicks_of_games.append(clicks)
        _, info = env.reset()

    def work() -> int:
        env.reset(seed=0)
        for clicks in clicks_of_games:
            for click in clicks:
                env.step(click)
            env.reset()
        return sum(map(len, clicks_of_games))  # Resets are no steps.

    return work


def played_by_exact(size: tuple[int, int], mines: int, luck: bool) -> dict[str, Work]:
    """Returns works of a batch that `exact` plays from seed 0 on: steps with the policy, and the same steps alone."""
    env = minesweeper_env.MinesweeperVectorEnv(SAVED_GAMES, size, mines, moves=("click",), luck=luck)
    policy, recorded = ExactPolicy(env.config), list[Any]()  # (SAVED_GAMES,) clicks for each step

    def with_policy() -> int:
        boards, info = env.reset(seed=0)
        recorded.clear()
        for _ in range(STEPS_A_WORK):
            recorded.append(policy.act(boards, info["action_mask"]))
            boards, _, _, _, info = env.step(recorded[-1])
        return SAVED_GAMES * STEPS_A_WORK

    def without_policy() -> int:
        env.reset(seed=0)
        for clicks in recorded:
            env.step(clicks)
        return SAVED_GAMES * STEPS_A_WORK

    with_policy()  # It records the clicks that the other work repeats.
    name = "with luck" if luck else "without luck"
    return {f"step, {name}": without_policy, f"exact and step, {name}": with_policy}


def saving(games: int, size: tuple[int, int], mines: int) -> dict[str, Work]:
    """Returns works of a single env, or of a batch: a step, `get_state`, and `set_state` with and without a check."""
    if games > 1:
        env: Any = minesweeper_env.MinesweeperVectorEnv(games, size, mines, moves=("click",))
    else:
        env = minesweeper_env.MinesweeperEnv(size, mines, moves=("click",))
    env.reset(seed=0)
    # The middle cell, which is open from then on: each later step shows the board and changes nothing.
    middle = size[0] // 2 * size[1] + size[1] // 2
    action = np.full(games, middle) if games > 1 else middle
    env.step(action)
    state = env.get_state()
    calls: dict[str, Callable[[], object]] = {
        "step": lambda: env.step(action),
        "get_state": env.get_state,
        "set_state": lambda: env.set_state(state),
        "set_state, a plain dict": lambda: env.set_state(dict(state)),  # which is checked
    }
    return {name: repeated(call, games) for name, call in calls.items()}


def through_jumanji(size: tuple[int, int], mines: int) -> Work:
    """Returns work that plays a batch of Jumanji's games with random legal clicks, and resets ended games."""
    # Before jax is loaded: its default device is the processor, and one thread is enough for one core.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import jax.numpy as jnp
    from jumanji.environments.logic.minesweeper import Minesweeper
    from jumanji.environments.logic.minesweeper.generator import UniformSamplingGenerator

    env = Minesweeper(generator=UniformSamplingGenerator(*size, mines))

    def random_clicks(key: Any, masks: Any) -> Any:
        # (GAMES, rows, cols) masks to (GAMES, 2) cells. With L legal cells, one of 0..L-1 is drawn: the click is the
        # legal cell with so many legal cells before it, so its index is the number of cells whose running sum is lower.
        legal_so_far = jnp.cumsum(masks.reshape(len(masks), -1), axis=1, dtype=jnp.int32)
        drawn = jnp.floor(jax.random.uniform(key, (len(masks),)) * legal_so_far[:, -1]).astype(jnp.int32)
        cells = (legal_so_far <= drawn[:, None]).sum(axis=1)
        return jnp.stack(jnp.divmod(cells, masks.shape[2]), axis=1).astype(jnp.int32)

    def reset_ended(state: Any, timestep: Any) -> Any:
        ended = jnp.nonzero(timestep.last(), size=GAMES, fill_value=0)[0]  # JAX needs a fixed size.

        def reset_one(i: Any, batch: Any) -> Any:
            state, observation = batch
            fresh_state, first_step = env.reset(jax.random.split(state.key[ended[i]])[0])
            put = lambda old, new: old.at[ended[i]].set(new)  # noqa: E731
            return jax.tree.map(put, state, fresh_state), jax.tree.map(put, observation, first_step.observation)

        batch = (state, timestep.observation)
        state, observation = jax.lax.fori_loop(0, timestep.last().sum(), reset_one, batch)
        return state, timestep.replace(observation=observation)

    def one_step(carry: Any, _: Any) -> Any:
        state, timestep, key = carry
        key, draw_key = jax.random.split(key)
        clicks = random_clicks(draw_key, timestep.observation.action_mask)
        state, timestep = reset_ended(*jax.vmap(env.step)(state, clicks))
        return (state, timestep, key), (timestep.reward, timestep.last())

    play = jax.jit(lambda carry: jax.lax.scan(one_step, carry, None, STEPS_A_WORK))
    state, timestep = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.PRNGKey(0), GAMES))
    carry = (state, timestep, jax.random.PRNGKey(1))

    def work() -> int:
        nonlocal carry
        carry, results = play(carry)
        jax.block_until_ready((carry, results))
        return GAMES * STEPS_A_WORK

    return work


def main() -> None:
    """Prints a table for each board."""
    options = arguments(__doc__, seconds=1.0, repeats=9)
    print(f"minesweeper_env {minesweeper_env.__version__}, gymnasium {gymnasium.__version__}, {machine()}")
    for title, (size, mines) in BOARDS.items():
        games = Games(BoardConfig.of_size(size, mines, moves=("click",)), GAMES, RewardWeights(win=1.0, loss=-1.0))
        works = {f"make_vec, {GAMES} games": through_make_vec(size, mines), "bare kernel": bare_kernel(games)}
        works["make, one game"] = through_make(size, mines)
        if find_spec("jumanji"):
            works["Jumanji"] = through_jumanji(size, mines)
        compare(f"{title}: steps per second", works, options)
        state_bytes = sum(array.nbytes for array in games.arrays if isinstance(array, np.ndarray))
        print(f"state of {GAMES} games: {state_bytes / 1e6:.2f} MB")
        works = played_by_exact(size, mines, luck=True) | played_by_exact(size, mines, luck=False)
        compare(f"{title}, {SAVED_GAMES} games at once of `exact`: steps per second", works, options)
        for count in (1, SAVED_GAMES):
            compare(f"{title}, {count} games at once: games per second", saving(count, size, mines), options)


if __name__ == "__main__":
    main()
