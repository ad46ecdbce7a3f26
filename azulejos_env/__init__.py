"""Azulejos for reinforcement learning: a two-player game of falling tiles, its environments, and its minimax.

Importing the package registers its environment id, as soon as Gymnasium is imported too.
A module is public if it has an `__all__`; the other modules are internal and may change without notice.
"""

from typing import TYPE_CHECKING

from minesweeper_env.lazy import after_gymnasium, lazy_exports

if TYPE_CHECKING:
    from azulejos_env.config import GameConfig
    from azulejos_env.env import AzulejosEnv
    from azulejos_env.position import Position

__all__ = ["AzulejosEnv", "GameConfig", "Position", "register_envs"]

__getattr__, __dir__ = lazy_exports(
    __name__, {"config": ("GameConfig",), "env": ("AzulejosEnv",), "position": ("Position",)}
)


def register_envs() -> None:
    """Registers the id unless it is in Gymnasium's registry."""
    from gymnasium.envs.registration import register, registry

    if "Azulejos-v0" not in registry:
        register(id="Azulejos-v0", entry_point="azulejos_env.env:AzulejosEnv")


after_gymnasium(register_envs)
