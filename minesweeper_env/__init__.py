"""Minesweeper for reinforcement learning: a Gymnasium environment around a compiled engine.

Importing the package registers its environment ids, as soon as Gymnasium is imported too. Making the first environment
loads the engine.
A module is public if it has an `__all__`; the other modules are internal and may change without notice.
"""

from typing import TYPE_CHECKING, Any

from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION, Codes, Move
from minesweeper_env.config import PRESETS, BoardConfig
from minesweeper_env.lazy import after_gymnasium, lazy_exports

if TYPE_CHECKING:
    from minesweeper_env.env import MinesweeperEnv
    from minesweeper_env.vector_env import MinesweeperVectorEnv
    from minesweeper_env.wrappers import ActionMaskObservation, MineProbabilities, VectorMineProbabilities

__version__ = "0.1.0"

__all__ = [
    "ENV_SPECIFICATIONS",
    "FLAGGED",
    "HIDDEN",
    "MINE",
    "QUESTION",
    "ActionMaskObservation",
    "BoardConfig",
    "Codes",
    "MineProbabilities",
    "MinesweeperEnv",
    "MinesweeperVectorEnv",
    "Move",
    "VectorMineProbabilities",
    "register_envs",
]

_WRAPPERS = ("ActionMaskObservation", "MineProbabilities", "VectorMineProbabilities")
__getattr__, __dir__ = lazy_exports(
    __name__, {"env": ("MinesweeperEnv",), "vector_env": ("MinesweeperVectorEnv",), "wrappers": _WRAPPERS}
)

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


after_gymnasium(register_envs)
