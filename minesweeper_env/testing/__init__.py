"""Conformance suite for environments: checks every convention that learning libraries rely on.

from minesweeper_env.testing import check_minesweeper_env

check_minesweeper_env("Minesweeper-Expert-v0")
check_minesweeper_env(MyWrapper(gymnasium.make("Minesweeper-v0", size=5, mines=3)))

The modules of the package are internal.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gymnasium
from gymnasium.vector import AutoresetMode

from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.testing.conventions import (
    Env,
    check_batch,
    check_gymnasium,
    check_illegal_actions,
    check_masks,
    check_no_leak,
    check_pickling,
    check_registration,
    check_saving,
    check_seeding,
    check_types,
    unsuitable_checks,
    without_observers,
)

__all__ = ["check_minesweeper_env"]


def check_minesweeper_env(env_or_id: Env | str, *, seed: int = 0, **kwargs: Any) -> None:
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
    | saving | so does one with a restored state |
    | gymnasium | Gymnasium's own checker passes without a warning |
    | registration | a fresh process can make the id |
    | batches | the batched environment plays the same games, in every autoreset mode |

    Under some of Gymnasium's wrappers a check does not apply; a warning then names it as skipped. The checks leave out
    wrappers that only draw or record, such as `HumanRendering` and `RecordEpisodeStatistics`, with a warning, too.

    Args:
        env_or_id: a registered id, or a `MinesweeperEnv`, bare or wrapped. The checks play on copies of it.
        seed: seed of the games and actions that the checks play.
        **kwargs: arguments of the environment if `env_or_id` is an id.

    Raises:
        AssertionError: the environment breaks a convention; the message begins with the name of the check.
        TypeError: the environment is not a `MinesweeperEnv`, bare or wrapped.
    """
    env = gymnasium.make(env_or_id, **kwargs) if isinstance(env_or_id, str) else env_or_id
    if not isinstance(env.unwrapped, MinesweeperEnv):
        raise TypeError(f"the environment must be a MinesweeperEnv, wrapped or not, not {env!r}")
    unsuitable = unsuitable_checks(env)
    played, left_out = _named("copying", partial(without_observers, env))
    if left_out:
        _warn(f"checks the environment without {', '.join(left_out)}")
    for name, check in _checks(played, seed):
        if name in unsuitable:
            _warn(f"skips the check {name!r}, which does not apply under {unsuitable[name]}")
        else:
            _named(name, check)


def _checks(env: Env, seed: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yields the name of each check, and the check itself."""

    def make() -> Env:
        return copy.deepcopy(env)

    played = {
        "masks": check_masks,
        "illegal actions": check_illegal_actions,
        "types": check_types,
        "seeding": check_seeding,
        "leaks": check_no_leak,
        "pickling": check_pickling,
        "saving": check_saving,
    }
    for name, check in played.items():
        yield name, partial(check, make, seed)
    yield "gymnasium", partial(check_gymnasium, make)
    yield "registration", partial(check_registration, env)
    for mode in AutoresetMode:
        yield "batches", partial(check_batch, env.unwrapped, seed, mode)  # type: ignore[arg-type]


def _named(name: str, check: Callable[[], Any]) -> Any:
    """Returns the value of a check; its errors become AssertionErrors that begin with its name."""
    try:
        return check()
    except AssertionError as error:
        raise AssertionError(f"{name}: {error}") from error
    except Exception as error:
        raise AssertionError(f"{name}: {type(error).__name__}: {error}") from error


def _warn(text: str) -> None:
    warnings.warn(f"check_minesweeper_env {text}", UserWarning, stacklevel=3)
