"""Boards of environments: the configuration behind wrappers and batches."""

from __future__ import annotations

from typing import Any

from minesweeper_env.config import BoardConfig


def config_of(env: Any) -> BoardConfig:
    """Returns the configuration of an environment's games.

    Args:
        env: a `MinesweeperEnv`, wrapped or not; a `MinesweeperVectorEnv`; or a vector environment of Gymnasium or
            Stable-Baselines3 whose environments are such ones.

    Raises:
        ValueError: it is something else, or its environments have different boards.
    """
    core = getattr(env, "unwrapped", env)
    found = getattr(core, "config", None)
    if isinstance(found, BoardConfig):
        return found
    configs = _configs_of(core)
    if not configs or not all(isinstance(each, BoardConfig) for each in configs):
        raise ValueError(
            "env must be a Minesweeper environment, wrapped or not, or a vector environment of them, not "
            f"{core if isinstance(core, str) else type(core).__name__!r}"
        )
    if any(each != configs[0] for each in configs):
        raise ValueError("the environments of env have different boards; make one policy for each")
    return configs[0]


def _configs_of(core: Any) -> list[Any]:
    """Returns the attribute `config` of each environment in a vector environment; empty where there is none."""
    if not hasattr(core, "num_envs") or not hasattr(core, "get_attr"):
        return []
    try:
        return list(core.get_attr("config"))
    except AttributeError:
        return []
