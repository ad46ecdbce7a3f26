"""Train Jumanji's own A2C on its Minesweeper, 10x10 with 10 mines, and print how many games greedy play wins.

It needs an environment of its own: `pip install 'jumanji[train]' jax==0.5.3 jaxlib==0.5.3`, because newer versions of
jax lack what the trainer of Jumanji 1.1.2 calls. docs/studies/compared.md has the figures, and those of an agent of
this project on the same board and rule, where the first click may be a mine.

    taskset -c 1 python benchmarks/jumanji_a2c.py --minutes 10 --seed 1
"""

import argparse
import functools
import os
import time
from typing import Any

import jax
import jax.numpy as jnp
import jumanji
import jumanji.training
from hydra import compose, initialize_config_dir
from jumanji.training.setup_train import setup_agent, setup_env, setup_training_state

UPDATES = 50
"""Updates of an epoch; the processor time is checked between epochs."""

SAFE_CELLS, GAMES, TEST_SEED = 90, 2000, 7


def configuration() -> Any:
    """Returns Jumanji's configuration of this training, with short epochs."""
    folder = os.path.join(next(iter(jumanji.training.__path__)), "configs")
    with initialize_config_dir(folder, version_base=None):
        epoch_length = f"env.training.num_learner_steps_per_epoch={UPDATES}"
        return compose("config", overrides=["env=minesweeper", "agent=a2c", epoch_length])


def opened_cells(agent: Any, params: Any) -> Any:
    """Returns the cells that greedy play opens in each game, (GAMES,); a game with `SAFE_CELLS` is won."""
    env, policy = jumanji.make("Minesweeper-v0"), agent.make_policy(params.actor, stochastic=False)
    keys = jax.random.split(jax.random.PRNGKey(TEST_SEED), GAMES)

    def click(carry: Any, key: Any) -> Any:
        state, step, opened, over = carry
        action, _ = policy(step.observation, key)
        state, step = jax.vmap(env.step)(state, action)
        return (state, step, opened + jnp.where(over, 0, step.reward), over | (step.discount == 0)), None

    start = (*jax.vmap(env.reset)(keys), jnp.zeros(GAMES), jnp.zeros(GAMES, bool))
    # A click opens one of the 100 cells, so 100 clicks end every game. The result is (carry, None): [0][2] is `opened`.
    return jax.jit(lambda: jax.lax.scan(click, start, keys[: SAFE_CELLS + 10])[0][2])()


def train(minutes: float, seed: int) -> tuple[Any, Any, int, float]:
    """Returns the agent, its weights, and the clicks and processor seconds of its training."""
    config = configuration()
    env = setup_env(config)
    agent = setup_agent(config, env)
    state = setup_training_state(env, agent, jax.random.PRNGKey(seed))
    clicks_per_epoch = config.env.training.n_steps * config.env.training.total_batch_size * UPDATES

    @functools.partial(jax.pmap, axis_name="devices")
    def epoch(state: Any) -> Any:
        return jax.lax.scan(lambda state, _: (agent.run_epoch(state)[0], None), state, None, UPDATES)[0]

    start, clicks = time.process_time(), 0
    while (seconds := time.process_time() - start) < 60 * minutes:
        state, clicks = jax.block_until_ready(epoch(state)), clicks + clicks_per_epoch
        print(f"{clicks} clicks after {seconds:.0f} processor seconds", flush=True)
    return agent, jax.tree_util.tree_map(lambda replicas: replicas[0], state.params_state.params), clicks, seconds


def main() -> None:
    """Trains, plays and prints one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="processor time of the training")
    parser.add_argument("--seed", type=int, default=1, help="seed of the training")
    options = parser.parse_args()
    agent, params, clicks, seconds = train(options.minutes, options.seed)
    opened = opened_cells(agent, params)
    won = int((opened >= SAFE_CELLS).sum())
    print(f"seed {options.seed}: {clicks} clicks, {seconds:.0f} processor seconds, {won} of {GAMES} games won")
    print(f"cells opened in a game, of {SAFE_CELLS}: {opened.mean():.1f}")


if __name__ == "__main__":
    main()
