"""Boards that need no guess: the public names of `minesweeper_env.no_guess`, whose other names may change."""

from minesweeper_env.no_guess.generate import Level, Method, NoGuessBoard, generate
from minesweeper_env.no_guess.search import MAX_ATTEMPTS
from minesweeper_env.no_guess.supply import AttemptsExceededError, GenerationError, ImpossibleBoardError

__all__ = [
    "MAX_ATTEMPTS",
    "AttemptsExceededError",
    "GenerationError",
    "ImpossibleBoardError",
    "Level",
    "Method",
    "NoGuessBoard",
    "generate",
]
