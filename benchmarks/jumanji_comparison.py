"""Steps per second compared with Jumanji's Minesweeper, on one core, in one run.

    pip install jumanji
    python benchmarks/jumanji_comparison.py

Both play 1024 games with uniformly random legal clicks. Jumanji's run is one compiled loop (`jax.jit`, `lax.scan`),
with a lazy reset, which makes boards only for the games that have ended: the fastest of its kind. Its rules do less: a
click opens one cell (no flood fill), and the first click may be on a mine.
"""

from __future__ import annotations

import os
import sys
from typing import Any

# Before jax is loaded: its default device is the processor, and one thread is enough for one core.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from engine import BOARDS, GAMES, through_make_vec
from timing import Work, arguments, machine, median_ratio, print_table, rates, rows

import minesweeper_env

STEPS_A_CALL = 50
GOALS = {"8x8, 14 mines": 14, "16x30, 99 mines": 45}


def random_legal_clicks(key: Any, masks: Any) -> Any:
    """Returns (N, 2) rows and columns of clicks; one draw per game is the rank of its click among the legal ones."""
    import jax
    import jax.numpy as jnp

    ranks = jnp.cumsum(masks.reshape(len(masks), -1), axis=1, dtype=jnp.int32)
    drawn = jnp.floor(jax.random.uniform(key, (len(masks),)) * ranks[:, -1]).astype(jnp.int32)
    cells = (ranks <= drawn[:, None]).sum(axis=1)
    return jnp.stack(jnp.divmod(cells, masks.shape[2]), axis=1).astype(jnp.int32)


def renew_ended(env: Any, state: Any, timestep: Any) -> Any:
    """Visits only the ended games, and writes their new boards in place."""
    import jax
    import jax.numpy as jnp

    ended = jnp.nonzero(timestep.last(), size=GAMES, fill_value=0)[0]

    def renew(k: Any, parts: Any) -> Any:
        state, observation = parts
        i = ended[k]
        fresh, first = env.reset(jax.random.split(state.key[i])[0])
        put = lambda old, new: old.at[i].set(new)  # noqa: E731
        return jax.tree.map(put, state, fresh), jax.tree.map(put, observation, first.observation)

    parts = jax.lax.fori_loop(0, timestep.last().sum(), renew, (state, timestep.observation))
    return parts[0], timestep.replace(observation=parts[1])


def through_jumanji(size: tuple[int, int], mines: int) -> Work:
    """Returns work that plays Jumanji's games."""
    import jax
    from jumanji.environments.logic.minesweeper import Minesweeper
    from jumanji.environments.logic.minesweeper.generator import UniformSamplingGenerator

    env = Minesweeper(generator=UniformSamplingGenerator(*size, mines))

    def one_step(carry: Any, _: Any) -> Any:
        state, timestep, key = carry
        key, drawing = jax.random.split(key)
        actions = random_legal_clicks(drawing, timestep.observation.action_mask)
        state, timestep = renew_ended(env, *jax.vmap(env.step)(state, actions))
        return (state, timestep, key), (timestep.reward, timestep.last())

    play = jax.jit(lambda carry: jax.lax.scan(one_step, carry, None, STEPS_A_CALL))
    state, timestep = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.PRNGKey(0), GAMES))
    carry = [(state, timestep, jax.random.PRNGKey(1))]

    def work() -> int:
        carry[0], results = play(carry[0])
        jax.block_until_ready((carry[0], results))
        return GAMES * STEPS_A_CALL

    return work


def main() -> int:
    """Prints a table for each board; returns the exit code."""
    options = arguments("Compare the steps per second with Jumanji's Minesweeper on one core.", seconds=1.0, repeats=7)
    try:
        import jax
        import jumanji
    except ImportError:
        print("this benchmark needs Jumanji: pip install jumanji", file=sys.stderr)
        return 2
    print(f"minesweeper_env {minesweeper_env.__version__}, jumanji {jumanji.__version__}, jax {jax.__version__}")
    print(machine())
    print("Jumanji's rules are simpler: no flood fill, and the first click may hit a mine.")
    for title, (size, mines) in BOARDS.items():
        works = {"this package, make_vec": through_make_vec(size, mines), "Jumanji": through_jumanji(size, mines)}
        measured = rates(works, options.seconds, options.repeats)
        print_table(f"{title}: steps per second", ("", "median", "best"), rows(measured))
        print(f"this package / Jumanji: {median_ratio(*measured.values()):.1f} (goal {GOALS[title]})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
