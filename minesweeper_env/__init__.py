"""Minesweeper for reinforcement learning: a Gymnasium environment around a compiled engine.

Importing the package registers its environment ids; the engine is loaded when the first environment is made.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION, Codes, Move
from minesweeper_env.config import BoardConfig
from minesweeper_env.registration import register_envs

if TYPE_CHECKING:
    from minesweeper_env.env import MinesweeperEnv
    from minesweeper_env.probability_wrappers import MineProbabilities, VectorMineProbabilities
    from minesweeper_env.vector_env import MinesweeperVectorEnv
    from minesweeper_env.wrappers import ActionMaskObservation

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

_LAZY = {
    "ActionMaskObservation": "minesweeper_env.wrappers",
    "MineProbabilities": "minesweeper_env.probability_wrappers",
    "MinesweeperEnv": "minesweeper_env.env",
    "MinesweeperVectorEnv": "minesweeper_env.vector_env",
    "VectorMineProbabilities": "minesweeper_env.probability_wrappers",
}


def __getattr__(name: str) -> Any:
    """Loads the classes that need the compiled engine when they are first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


register_envs()
