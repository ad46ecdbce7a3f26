"""Errors of searches in vain."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from minesweeper_env.config import BoardConfig
from minesweeper_env.neighbours import neighbour_table

if TYPE_CHECKING:
    from minesweeper_env.no_guess.search import Searcher

FEW_LAYOUTS = 20_000
"""The largest number of layouts that are all tried before a board is called impossible."""


class GenerationError(ValueError):
    """No board was found; the two errors below say why."""


class ImpossibleBoardError(GenerationError):
    """No layout of this configuration can be won without a guess from this first cell."""


class AttemptsExceededError(GenerationError):
    """The search has played as many layouts as allowed, and none could be won without a guess."""


def failure(searcher: Searcher, cell: int, level: str, attempts: int) -> GenerationError:
    """Returns the error of a search in vain; where there are few layouts, it tries all of them first.

    Args:
        searcher: the searcher, which knows the configuration.
        cell: the first cell.
        level: the level of logic.
        attempts: the number of layouts played.
    """
    config = searcher.config
    row, col = divmod(cell, config.cols)
    board = (
        f"{config.rows}x{config.cols} with {config.mines} mines, first_click {config.first_click!r} and first cell "
        f"({row}, {col})"
    )
    if has_few_layouts(config, cell):
        free = _unprotected(config, cell)
        layouts = np.zeros((comb(len(free), config.mines), config.cells), np.bool_)
        for layout, mines in zip(layouts, combinations(free, config.mines), strict=True):
            layout[list(mines)] = True
        if not searcher.solves(layouts, cell, level).any():
            return ImpossibleBoardError(
                f"no layout of {board} can be won by logic of level {level!r}; choose another number of mines"
            )
    return AttemptsExceededError(
        f"{attempts} layouts of {board} were played, and logic of level {level!r} won none; allow more attempts, or "
        "choose fewer mines"
    )


def has_few_layouts(config: BoardConfig, cell: int) -> bool:
    """Returns whether the layouts for a first cell are so few that all of them can be tried."""
    return comb(len(_unprotected(config, cell)), config.mines) <= FEW_LAYOUTS


def _unprotected(config: BoardConfig, cell: int) -> list[int]:
    """Returns the cells that may be mines when the first click is on `cell`."""
    protected = {cell}
    if config.first_click in ("opening", "corners"):
        protected.update(neighbour_table(config.rows, config.cols, config.radius)[cell].tolist())
    return [each for each in range(config.cells) if each not in protected]
