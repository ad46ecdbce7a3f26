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

    These are: the masks, their source and their use; illegal actions; the types that a step returns; that
    the seed alone decides; fresh arrays; info keys; that two layouts which agree with all that is shown
    give the same observations, masks, infos and rewards; pickling; saving and restoring; Gymnasium's
    own checker without a warning; registration; and that the batched environment plays the same games,
    in both autoreset modes.

    Args:
        env_or_id: a registered id, or an environment, wrapped or not, around `MinesweeperEnv`. It is
            not changed: the checks play on copies.
        seed: the seed of the games and actions that the checks play.
        **kwargs: arguments of the environment, where it is given by its id.

    Raises:
        AssertionError: a convention is broken; the message says which.
        TypeError: the environment is none around `MinesweeperEnv`.
    """
    env = gymnasium.make(env_or_id, **kwargs) if isinstance(env_or_id, str) else env_or_id
    bare = env.unwrapped
    if not isinstance(bare, MinesweeperEnv):
        raise TypeError(f"a MinesweeperEnv is needed, wrapped or not, not {env!r}")

    def make() -> Env:
        return copy.deepcopy(env)

    for check in (check_masks, check_illegal_actions, check_types, check_seeding, check_no_leak, check_saving):
        check(make, seed)
    check_gymnasium(make)
    check_registration(env)
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        check_batch(bare, seed, mode)
