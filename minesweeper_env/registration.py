"""Registration of the environment ids."""

from __future__ import annotations

from typing import Any

from minesweeper_env.config import PRESETS

__all__ = ["ENV_SPECIFICATIONS", "register_envs"]

ENV_SPECIFICATIONS: dict[str, dict[str, Any]] = {
    f"Minesweeper{name and f'-{name}'}{end}-v0": {"size": preset["size"], **moves}
    for name, preset in PRESETS.items()
    for end, moves in (("", {}), ("-ClickOnly", {"moves": ("click",)}))
}
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
