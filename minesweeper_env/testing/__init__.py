"""Conformance suite for environments: checks every convention that learning libraries rely on.

from minesweeper_env.testing import check_minesweeper_env

check_minesweeper_env("Minesweeper-Expert-v0")
check_minesweeper_env(MyWrapper(gymnasium.make("Minesweeper-v0", size=5, mines=3)))

The modules of the package are internal.
"""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
from gymnasium.vector import AutoresetMode

from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.testing.batches import check_batch
from minesweeper_env.testing.conventions import (
    check_gymnasium,
    check_illegal_actions,
    check_masks,
    check_registration,
    check_saving,
    check_seeding,
    check_types,
)
from minesweeper_env.testing.leaks import check_no_leak
from minesweeper_env.testing.playing import Env

__all__ = ["check_minesweeper_env"]


def check_minesweeper_env(env_or_id: Env | str, *, seed: int = 0, **kwargs: Any) -> None:
    """Checks that an environment keeps every convention of this package.

    The conventions concern:

    * masks: dtype, shape, source, and never all 0;
    * illegal actions, which change nothing;
    * types of the values of a step, fresh arrays, and constant keys of info;
    * seeding: the seed alone determines the games;
    * leaks: two layouts that agree with everything visible return the same values;
    * pickling, saving and restoring;
    * Gymnasium's own checker, without a warning;
    * registration;
    * the batched environment, which plays the same games in every autoreset mode.

    Args:
        env_or_id: a registered id, or a `MinesweeperEnv`, bare or wrapped. The checks play on copies of it.
        seed: seed of the games and actions that the checks play.
        **kwargs: arguments of the environment if `env_or_id` is an id.

    Raises:
        AssertionError: the environment breaks a convention; the message names it.
        TypeError: the environment is not a `MinesweeperEnv`, bare or wrapped.
    """
    env = gymnasium.make(env_or_id, **kwargs) if isinstance(env_or_id, str) else env_or_id
    bare = env.unwrapped
    if not isinstance(bare, MinesweeperEnv):
        raise TypeError(f"the environment must be a MinesweeperEnv, wrapped or not, not {env!r}")

    def make() -> Env:
        return copy.deepcopy(env)

    for check in (check_masks, check_illegal_actions, check_types, check_seeding, check_no_leak, check_saving):
        check(make, seed)
    check_gymnasium(make)
    check_registration(env)
    for mode in AutoresetMode:
        check_batch(bare, seed, mode)
