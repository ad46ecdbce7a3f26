"""Checks of one environment and its batch: masks, actions, types, seeds, saving, registration, leaks."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from functools import cache, partial
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.neighbours import neighbour_table
from minesweeper_env.registration import register_envs
from minesweeper_env.testing.playing import (
    Env,
    MakeEnv,
    actions_of,
    frozen,
    gymnasium_names,
    legal_action,
    play,
    same,
    step_limit,
)
from minesweeper_env.vector_env import MinesweeperVectorEnv

STEPS = 200
INFO_TYPES = {"action_mask": np.ndarray, "invalid_action": bool, "is_success": bool}


def check_masks(make: MakeEnv, seed: int) -> None:
    """Checks that the mask is int8 (actions,), equals `action_masks()`, and always allows an action."""
    env = make()
    for turn in play(env, seed):
        mask = turn.info["action_mask"]
        assert mask.dtype == np.int8, f"the mask must be int8, not {mask.dtype}"
        assert mask.shape == (actions_of(env),), f"the mask must have shape ({actions_of(env)},), not {mask.shape}"
        assert np.isin(mask, (0, 1)).all(), "the mask must hold only 0 and 1"
        assert mask.any(), "the mask must never be all 0"
        method = env.get_wrapper_attr("action_masks")()
        assert method.dtype == np.bool_, "action_masks() must be bool"
        assert (method == mask).all(), "action_masks() and info['action_mask'] must agree"


def check_illegal_actions(make: MakeEnv, seed: int) -> None:
    """Checks that an illegal action changes nothing but info, and that an action outside the space raises."""
    env = make()
    bare: MinesweeperEnv = env.unwrapped  # type: ignore[assignment]
    limit = step_limit(env, bare.config.step_limit)
    for observation, _, over, info in play(env, seed):
        illegal = np.flatnonzero(info["action_mask"] == 0)
        if over or not len(illegal) or bare.get_state()["steps"] + 1 >= limit:
            continue
        after, reward, terminated, truncated, then = env.step(int(illegal[0]))
        assert same(observation, after), "an illegal action must change nothing"
        assert (then["action_mask"] == info["action_mask"]).all(), "an illegal action must not change the mask"
        assert then["invalid_action"] is True, "info['invalid_action'] must be True after an illegal action"
        assert not terminated, "an illegal action must not end the game"
        assert not truncated, "an illegal action must not end the game"
        assert float(reward) <= 0, "an illegal action must not earn anything"
    for outside in (-1, actions_of(env)):
        try:
            env.step(outside)
        except ValueError:
            continue
        raise AssertionError(f"the action {outside}, outside the space, must raise a ValueError")


def check_types(make: MakeEnv, seed: int) -> None:
    """Checks the types of a step's values, the keys of info, and that each observation is a new array in its space."""
    env = make()
    observation, info = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    # Gymnasium's TimeLimit truncates a game that its last step decides.
    own_limit = "TimeLimit" not in gymnasium_names(env)
    for _ in range(STEPS):
        before = pickle.dumps(observation)
        after, reward, terminated, truncated, then = env.step(legal_action(info, rng))
        assert type(reward) is float, f"the reward must be a float, not {type(reward).__name__}"
        assert type(terminated) is bool, "terminated must be a bool"
        assert type(truncated) is bool, "truncated must be a bool"
        assert not (terminated and truncated and own_limit), "a game that is won or lost must not be truncated"
        assert {key: type(then[key]) for key in INFO_TYPES} == INFO_TYPES, f"info must have the types {INFO_TYPES}"
        assert then.keys() == info.keys(), "info must have the same keys at every step"
        assert env.observation_space.contains(after), "the observation must lie in its space"
        assert pickle.dumps(observation) == before, "a step must not change an earlier observation"
        observation, info = env.reset() if terminated or truncated else (after, then)


def check_seeding(make: MakeEnv, seed: int) -> None:
    """Checks that the seed determines the games, and that NumPy's global generator stays unused."""
    state = pickle.dumps(np.random.get_state())  # noqa: NPY002
    first, again, other = ([frozen(turn) for turn in play(make(), s)] for s in (seed, seed, seed + 1))
    assert first == again, "the same seed and actions must give the same games"
    assert first != other, "different seeds must give different games"
    assert pickle.dumps(np.random.get_state()) == state, "the global generator must not be used"  # noqa: NPY002


def check_pickling(make: MakeEnv, seed: int) -> None:
    """Checks that a pickled environment continues with the same games."""
    env = make()
    next(play(env, seed))
    env.step(0)
    _compare_games(env, pickle.loads(pickle.dumps(env)), seed, "a pickled")


def check_saving(make: MakeEnv, seed: int) -> None:
    """Checks that an environment whose state was restored continues with the same games."""
    env, restored = make(), make()
    next(play(env, seed))
    env.step(0)
    restored.reset()
    restored.unwrapped.set_state(env.unwrapped.get_state())  # type: ignore[attr-defined]
    _compare_games(env, restored, seed, "a restored")


def _compare_games(env: Env, other: Env, seed: int, kind: str) -> None:
    for action in np.random.default_rng(seed).integers(actions_of(env), size=STEPS):
        step, again = env.step(int(action)), other.step(int(action))
        assert frozen(step) == frozen(again), f"{kind} environment must continue with the same game"
        if step[2] or step[3]:
            env.reset()
            other.reset()


def check_gymnasium(make: MakeEnv) -> None:
    """Checks that Gymnasium's own checker passes without a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        env = make().unwrapped
        # Without a spec the checker cannot make the environment in other render modes.
        check_env(env, skip_render_check=env.spec is None)
    assert not caught, f"gymnasium's check_env warns: {[str(warning.message) for warning in caught]}"


def check_registration(env: Env) -> None:
    """Checks that registering twice is harmless, and that a fresh process can make the id."""
    register_envs()
    if env.spec is not None:
        _make_in_fresh_process(env.spec.id)


@cache
def _make_in_fresh_process(env_id: str) -> None:
    """Makes an environment in a fresh process, which its id alone determines: once for all environments of the id."""
    code = f"import gymnasium; gymnasium.make('minesweeper_env:{env_id}').reset(seed=0)"
    subprocess.run([sys.executable, "-c", code], check=True)


GAMES = 100
MOVES = 12


def check_no_leak(make: MakeEnv, seed: int) -> None:
    """Checks that two layouts which agree with everything visible return the same values."""
    rng = np.random.default_rng(seed)
    env = make()
    config: BoardConfig = env.unwrapped.config  # type: ignore[attr-defined]
    compared = 0
    for _ in range(GAMES):
        layout = rng.permutation(config.cells).reshape(config.rows, config.cols) < config.mines
        actions, codes = _record(env, layout, rng)
        other = indistinguishable_layout(layout, codes, config, rng)
        if other is not None:
            compared += 1
            transcripts = [_replay(env, chosen, actions) for chosen in (layout, other)]
            assert transcripts[0] == transcripts[1], "the returned values depend on hidden mines"
    assert compared, "no game had two layouts to compare; choose a board with more cells"


def indistinguishable_layout(
    layout: NDArray[np.bool_], codes: NDArray[np.int8], config: BoardConfig, rng: np.random.Generator
) -> NDArray[np.bool_] | None:
    """Returns another layout that agrees with everything visible, or None if the search finds none.

    The search swaps a mine with a covered safe cell that has the same open neighbours.

    Args:
        layout: (rows, cols) bool, the mines.
        codes: (rows, cols) int8, the visible codes.
        config: the board.
        rng: chooses among the swaps.
    """
    covered = codes.ravel() > config.codes.max_count
    neighbours = neighbour_table(config.rows, config.cols, config.radius)
    is_open = np.append(~covered, False)
    seen_by = [frozenset(row[is_open[row]].tolist()) for row in neighbours]
    mines, safe = (rng.permutation(np.flatnonzero(covered & (layout.ravel() == mine))) for mine in (True, False))
    for mine in mines:
        for cell in safe:
            if seen_by[mine] == seen_by[cell]:
                other = layout.ravel().copy()
                other[[mine, cell]] = False, True
                return other.reshape(layout.shape)
    return None


def _record(env: Env, layout: NDArray[np.bool_], rng: np.random.Generator) -> tuple[list[int], NDArray[np.int8]]:
    """Plays random legal actions until one would end the game; returns the others and the visible codes after them."""
    _, info = env.reset(seed=0, options={"layout": layout})
    actions: list[int] = []
    codes = env.unwrapped.get_state()["codes"]  # type: ignore[attr-defined]
    for _ in range(rng.integers(1, MOVES + 1)):
        action = legal_action(info, rng)
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
        actions.append(action)
        codes = env.unwrapped.get_state()["codes"]  # type: ignore[attr-defined]
    return actions, codes


def _replay(env: Env, layout: NDArray[np.bool_], actions: list[int]) -> list[Any]:
    """Plays the actions; returns all values that the environment returns."""
    returned = [frozen(env.reset(seed=0, options={"layout": layout}))]
    for action in actions:
        returned.append(frozen(env.step(action)))
        returned.append(frozen(env.get_wrapper_attr("action_masks")()))
        if env.render_mode is not None:
            returned.append(frozen(env.render()))
    return returned


BATCH = 20
"""Games of the batch that is compared with single ones."""


def check_batch(env: MinesweeperEnv, seed: int, mode: AutoresetMode) -> None:
    """Checks that the batched environment returns what Gymnasium's batch of single environments returns."""
    arguments = {"reward": env.reward, "observation": env.observation, "autoreset_mode": mode}
    batch = MinesweeperVectorEnv.of_config(env.config, BATCH, **arguments)
    singles = SyncVectorEnv([partial(copy.deepcopy, env)] * BATCH, autoreset_mode=mode)
    assert frozen(batch.reset(seed=seed)) == frozen(singles.reset(seed=seed)), "the first boards of a batch differ"
    for _ in range(STEPS):
        actions = batch.sample_actions()
        step = batch.step(actions)
        assert frozen(step) == frozen(singles.step(actions)), "single and batched environments step differently"
        over = step[2] | step[3]
        if mode is AutoresetMode.DISABLED and over.any():
            started, expected = (_reset_some(each, over) for each in (batch, singles))
            assert started == expected, "single and batched environments restart differently"


def _reset_some(batch: MinesweeperVectorEnv | SyncVectorEnv, over: NDArray[np.bool_]) -> Any:
    """Starts the next game where `over`; returns the observations, and the info of the games that it holds for."""
    observations, infos = batch.reset(options={"reset_mask": over})
    return frozen((observations, {key: value if key[0] == "_" else value[over] for key, value in infos.items()}))
