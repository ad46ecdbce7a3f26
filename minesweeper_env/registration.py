"""Registration of the environment ids."""

from __future__ import annotations

from typing import Any

from minesweeper_env.config import PRESETS

__all__ = ["ENV_SPECIFICATIONS", "register_envs"]


def _specifications() -> dict[str, dict[str, Any]]:
    ids = {}
    for preset, board in PRESETS.items():
        # The mines follow the size, so that another size in `gymnasium.make` does not keep those of the preset.
        arguments = {"size": board["size"]}
        name = f"-{preset}" if preset else ""
        ids[f"Minesweeper{name}-v0"] = arguments
        ids[f"Minesweeper{name}-ClickOnly-v0"] = {**arguments, "moves": ("click",)}
    return ids


ENV_SPECIFICATIONS = _specifications()
"""The keyword arguments of each registered id; the number of mines follows from the size."""


def register_envs() -> None:
    """Registers each id that is not yet in Gymnasium's registry."""
    from gymnasium.envs.registration import register, registry

    for env_id, arguments in ENV_SPECIFICATIONS.items():
        if env_id not in registry:
            register(
                id=env_id,
                entry_point="minesweeper_env.env:MinesweeperEnv",
                vector_entry_point="minesweeper_env.vector_env:MinesweeperVectorEnv",
                kwargs=dict(arguments),
                # The environments themselves raise ResetNeeded.
                order_enforce=False,
            )
