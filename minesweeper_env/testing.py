"""Conformance suite for environments: checks every convention that learning libraries rely on.

from minesweeper_env.testing import check_minesweeper_env

check_minesweeper_env("Minesweeper-Expert-v0")
check_minesweeper_env(MyWrapper(gymnasium.make("Minesweeper-v0", size=5, mines=3)))
"""

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

from minesweeper_env.config import BoardConfig
from minesweeper_env.env import MinesweeperEnv

__all__ = ["check_minesweeper_env"]

_Env = gymnasium.Env[Any, Any]
_STEPS = 200
_INFO_TYPES = {"action_mask": np.ndarray, "invalid_action": bool, "is_success": bool}


def check_minesweeper_env(env_or_id: _Env | str, *, seed: int = 0, **kwargs: Any) -> None:
    """Checks that an environment keeps every convention of this package.

    | check | convention |
    |---|---|
    | copying | `copy.deepcopy` copies the environment; the other checks play on copies |
    | masks | their dtype, shape and source; never all 0 |
    | illegal actions | change nothing |
    | types | of the values of a step; fresh arrays, and constant keys of info |
    | seeding | the seed alone determines the games |
    | leaks | two layouts that agree with everything visible return the same values |
    | pickling | a pickled environment continues with the same game |
    | saving | an environment with a restored state does so too |
    | gymnasium | Gymnasium's own checker passes without a warning |

    The last three checks play the environment within all wrappers. Wrappers that record statistics or repeat actions
    break conventions, so check the environment before you put them around it.

    Args:
        env_or_id: a registered id, or a `MinesweeperEnv`, bare or wrapped.
        seed: seed of the games and actions that the checks play.
        **kwargs: arguments of the environment if `env_or_id` is an id.

    Raises:
        AssertionError: the environment breaks a convention; the message begins with the name of the check.
        TypeError: the environment is not a `MinesweeperEnv`, bare or wrapped, or has arguments beside it.
    """
    if kwargs and not isinstance(env_or_id, str):
        raise TypeError(f"only an id takes arguments of the environment, not {env_or_id!r}: {', '.join(kwargs)}")
    env = gymnasium.make(env_or_id, **kwargs) if isinstance(env_or_id, str) else env_or_id
    bare = getattr(env, "unwrapped", env)
    if not isinstance(bare, MinesweeperEnv):
        raise TypeError(f"the environment must be a MinesweeperEnv, wrapped or not, not {env!r}")
    make = partial(copy.deepcopy, env)
    checks: list[tuple[str, Callable[[], object]]] = [
        ("copying", make),
        ("masks", lambda: _check_masks(make(), seed)),
        ("illegal actions", lambda: _check_illegal_actions(make(), seed)),
        ("types", lambda: _check_types(make(), seed)),
        ("seeding", lambda: _check_seeding(make, seed)),
        ("leaks", lambda: _check_no_leak(make, seed)),
        ("pickling", lambda: _check_copy(copy.deepcopy(bare), lambda game: pickle.loads(pickle.dumps(game)), seed)),
        ("saving", lambda: _check_copy(copy.deepcopy(bare), _restored, seed)),
        ("gymnasium", lambda: _check_gymnasium(copy.deepcopy(bare))),
    ]
    for name, check in checks:
        try:
            check()
        except Exception as error:
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            raise AssertionError(f"{name}: {kind}{error}") from error


def _actions_of(env: _Env) -> int:
    assert isinstance(env.action_space, gymnasium.spaces.Discrete), "the action space must be Discrete"
    return int(env.action_space.n)


def _bare_state(env: _Env) -> dict[str, Any]:
    return env.unwrapped.get_state()  # type: ignore[attr-defined]


def _legal_action(info: dict[str, Any], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


def _play(env: _Env, seed: int) -> Iterator[tuple[Any, Any, bool, dict[str, Any]]]:
    """Plays random legal actions in 20 games; yields each observation, its reward, whether the game is over, and info.

    Before it takes the next item, the caller may take steps that change nothing.
    """
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=seed)
    for _ in range(20):
        reward, over = 0.0, False
        for _ in range(50):
            yield observation, reward, over, info
            if over:
                break
            observation, reward, terminated, truncated, info = env.step(_legal_action(info, rng))  # type: ignore[assignment]
            over = terminated or truncated
        observation, info = env.reset()


def _frozen(value: Any) -> Any:
    """Returns a value as nested tuples, with bytes for arrays, so that == compares two values to the last bit."""
    if isinstance(value, dict):
        return tuple((key, _frozen(value[key])) for key in sorted(value))
    if isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.dtype == object):
        return tuple(_frozen(part) for part in value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return value


def _check_masks(env: _Env, seed: int) -> None:
    for *_, info in _play(env, seed):
        mask = info["action_mask"]
        assert mask.dtype == np.int8, f"the mask must be int8, not {mask.dtype}"
        assert mask.shape == (_actions_of(env),), f"the mask must have shape ({_actions_of(env)},), not {mask.shape}"
        assert np.isin(mask, (0, 1)).all(), "the mask must hold only 0 and 1"
        assert mask.any(), "the mask must never be all 0"
        bool_mask = env.get_wrapper_attr("action_masks")()
        assert bool_mask.dtype == np.bool_, "action_masks() must be bool"
        assert (bool_mask == mask).all(), "action_masks() and info['action_mask'] must agree"


def _check_illegal_actions(env: _Env, seed: int) -> None:
    for _, _, over, info in _play(env, seed):
        illegal = np.flatnonzero(info["action_mask"] == 0)
        if over or not len(illegal):
            continue
        codes = _bare_state(env)["codes"]
        _, reward, terminated, truncated, next_info = env.step(int(illegal[0]))
        assert (_bare_state(env)["codes"] == codes).all(), "an illegal action must change nothing"
        assert (next_info["action_mask"] == info["action_mask"]).all(), "an illegal action must not change the mask"
        assert next_info["invalid_action"] is True, "info['invalid_action'] must be True after an illegal action"
        assert not terminated, "an illegal action must not end the game"
        assert float(reward) <= 0, "an illegal action must not earn anything"
        if truncated:
            break
    for action in (-1, _actions_of(env)):
        try:
            env.step(action)
        except ValueError:
            continue
        raise AssertionError(f"the action {action}, outside the space, must raise a ValueError")


def _check_types(env: _Env, seed: int) -> None:
    observation, info = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(_STEPS):
        pickled = pickle.dumps(observation)
        next_observation, reward, terminated, truncated, next_info = env.step(_legal_action(info, rng))
        assert type(reward) is float, f"the reward must be a float, not {type(reward).__name__}"
        assert type(terminated) is bool, "terminated must be a bool"
        assert type(truncated) is bool, "truncated must be a bool"
        types = {key: type(next_info[key]) for key in _INFO_TYPES}
        assert types == _INFO_TYPES, f"info must have the types {_INFO_TYPES}"
        assert next_info.keys() == info.keys(), "info must have the same keys at every step"
        assert env.observation_space.contains(next_observation), "the observation must lie in its space"
        assert pickle.dumps(observation) == pickled, "a step must not change an earlier observation"
        observation, info = env.reset() if terminated or truncated else (next_observation, next_info)


def _check_seeding(make: Callable[[], _Env], seed: int) -> None:
    state = pickle.dumps(np.random.get_state())  # noqa: NPY002
    first, repeated, other_seed = ([_frozen(turn) for turn in _play(make(), s)] for s in (seed, seed, seed + 1))
    assert first == repeated, "the same seed and actions must give the same games"
    assert first != other_seed, "different seeds must give different games"
    assert pickle.dumps(np.random.get_state()) == state, "the global generator must not be used"  # noqa: NPY002


def _restored(env: MinesweeperEnv) -> MinesweeperEnv:
    restored = copy.deepcopy(env)
    restored.reset()
    restored.set_state(env.get_state())
    return restored


def _check_copy(env: MinesweeperEnv, make_copy: Callable[[MinesweeperEnv], MinesweeperEnv], seed: int) -> None:
    env.reset(seed=seed)
    if env.step(0)[2]:  # the game is over
        env.reset()
    duplicate = make_copy(env)
    for action in np.random.default_rng(seed).integers(_actions_of(env), size=_STEPS):
        step, same_step = env.step(int(action)), duplicate.step(int(action))
        assert _frozen(step) == _frozen(same_step), "the copy must continue with the same game"
        if step[2] or step[3]:
            env.reset()
            duplicate.reset()


def _check_gymnasium(env: _Env) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Without a spec the checker cannot make the environment in other render modes.
        check_env(env, skip_render_check=env.spec is None)
    assert not caught, f"gymnasium's check_env warns: {[str(warning.message) for warning in caught]}"


def _check_no_leak(make: Callable[[], _Env], seed: int) -> None:
    rng = np.random.default_rng(seed)
    config: BoardConfig = make().unwrapped.config  # type: ignore[attr-defined]
    for _ in range(200):
        # Two layouts, which differ by one mine: the mines of the first are the cells of the lowest ranks.
        ranks = rng.permutation(config.cells)
        swapped = ranks.copy()
        swapped[[ranks.argmin(), ranks.argmax()]] = ranks[[ranks.argmax(), ranks.argmin()]]
        envs = [make(), make()]
        options = [{"layout": (each < config.mines).reshape(config.rows, config.cols)} for each in (ranks, swapped)]
        returned: list[Any] = [env.reset(seed=0, options=layout) for env, layout in zip(envs, options, strict=True)]
        # While both boards look the same, both environments must return the same.
        while np.array_equal(*(_bare_state(env)["codes"] for env in envs)):
            visible = [_visible(env, values) for env, values in zip(envs, returned, strict=True)]
            assert visible[0] == visible[1], "the returned values depend on hidden mines"
            if len(returned[0]) == 5 and (returned[0][2] or returned[0][3]):  # a step that ended the game
                break
            action = _legal_action(returned[0][-1], rng)
            returned = [env.step(action) for env in envs]


def _visible(env: _Env, returned: Any) -> Any:
    """Returns what a player sees after a reset or step, without the picture of a decided game, which shows mines."""
    picture = None if env.render_mode is None or (len(returned) == 5 and returned[2]) else env.render()
    return _frozen((returned, env.get_wrapper_attr("action_masks")(), picture))
