"""Minesweeper for reinforcement learning: a Gymnasium environment around a compiled engine.

Importing the package registers its environment ids, as soon as Gymnasium is imported too. Making the first environment
loads the engine.
A module is public if it has an `__all__`; the other modules are internal and may change without notice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION, Codes, Move
from minesweeper_env.config import BoardConfig
from minesweeper_env.lazy import after_gymnasium, lazy_exports
from minesweeper_env.registration import register_envs

if TYPE_CHECKING:
    from minesweeper_env.env import MinesweeperEnv
    from minesweeper_env.vector_env import MinesweeperVectorEnv
    from minesweeper_env.wrappers import ActionMaskObservation, MineProbabilities, VectorMineProbabilities

__version__ = "0.1.0"

__all__ = [
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

after_gymnasium(register_envs)
