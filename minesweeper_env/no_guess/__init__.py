"""Compiled search for boards that logic alone solves. Internal: `minesweeper_env.generation` is the public module."""


class GenerationError(ValueError):
    """No board was found; the two errors below say why."""


class ImpossibleBoardError(GenerationError):
    """No layout of this configuration can be won without a guess from this first cell."""


class AttemptsExceededError(GenerationError):
    """The search has played as many layouts as allowed, and none could be won without a guess."""
