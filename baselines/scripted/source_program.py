"""The source's games, to hold its figures beside: how its program lays the mines, and what it counts as a win."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.playing import GameRecord, Start, play_games
from baselines.scripted.bayes_source import BayesSourcePolicy
from baselines.scripted.source_rule import FLAGGED
from minesweeper_env.config import BoardConfig

_INSIDE = ((1, 0), (-1, 0), (0, 1), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, -1))
_TOP_LEFT = ((1, 0), (0, 1), (1, 1))
_TOP_RIGHT = ((0, -1), (1, 0), (1, -1))
_BOTTOM_RIGHT = ((0, -1), (-1, 0), (-1, -1))
_BOTTOM_LEFT = ((0, 1), (-1, 0), (-1, 1))
_LEFT = ((-1, 0), (1, 0), (0, 1), (-1, 1), (1, 1))
_RIGHT = ((0, -1), (1, 0), (-1, 0), (-1, -1), (1, -1))
_TOP = ((0, -1), (1, 0), (0, 1), (1, -1), (1, 1))
_BOTTOM = ((-1, 0), (0, 1), (0, -1), (-1, -1), (-1, 1))
_ORDERS = ((_TOP_LEFT, _TOP, _TOP_RIGHT), (_LEFT, _INSIDE, _RIGHT), (_BOTTOM_LEFT, _BOTTOM, _BOTTOM_RIGHT))
"""The (down, right) steps to the neighbours of a cell in the program's order, by where on the board the cell is."""


class SourceRecord(NamedTuple):
    """How a game went, by both ways to win.

    Attributes:
        game: the record of the game; won if every safe cell was opened.
        source_won: whether the source's program wins it: its flags are exactly the mines at some moment, which may
            come after the last safe cell was opened.
    """

    game: GameRecord
    source_won: bool


def source_start(config: BoardConfig, seed: int) -> Start:
    """Returns the beginning of a game as the source's program lays it out.

    The mines are uniform, and so is the first click. Then each mine on the clicked cell, and on its neighbours in
    the program's order, goes to the first corner without a mine: bottom right, top left, bottom left, top right. It
    stays where it is if there is none, and a corner may be beside the clicked cell.

    Args:
        config: the games, of which only the size and the number of mines count.
        seed: at least 0.
    """
    rng = np.random.default_rng(seed)
    layout = np.zeros(config.cells, np.bool_)
    layout[rng.permutation(config.cells)[: config.mines]] = True
    mines = layout.reshape(config.rows, config.cols)
    row, col = int(rng.integers(config.rows)), int(rng.integers(config.cols))
    order = _ORDERS[_place(row, config.rows)][_place(col, config.cols)]
    for down, right in ((0, 0), *order):
        near = (row + down, col + right)
        if 0 <= near[0] < config.rows and 0 <= near[1] < config.cols and mines[near]:
            for corner in ((-1, -1), (0, 0), (-1, 0), (0, -1)):
                if not mines[corner]:
                    mines[near], mines[corner] = False, True
                    break
    return Start(mines, row * config.cols + col)


def _place(at: int, side: int) -> int:
    """Returns 0 for the first line, 2 for the last one, 1 for the others."""
    return 0 if at == 0 else 2 if at == side - 1 else 1


def play_source_games(policy: BayesSourcePolicy, seeds: Sequence[int]) -> list[SourceRecord]:
    """Plays games that begin as the source's do, and says who won them.

    Args:
        policy: the player, reset by the caller.
        seeds: those of the games; see `source_start`.

    Returns:
        One record a seed, in their order.
    """
    config = policy.config
    starts = [source_start(config, seed) for seed in seeds]
    flags = np.zeros((len(seeds), config.rows, config.cols), np.bool_)

    def watch(
        games: NDArray[np.int64], observations: NDArray[np.int8], actions: NDArray[np.int64], lost: NDArray[np.bool_]
    ) -> None:
        del actions, lost
        flags[games] = observations == FLAGGED

    records = play_games(policy, config, seeds, observer=watch, starts=starts)
    return [
        SourceRecord(record, record.marked or (record.won and finishes(policy, start.layout, flag)))
        for record, start, flag in zip(records, starts, flags, strict=True)
    ]


def finishes(policy: BayesSourcePolicy, layout: NDArray[np.bool_], flags: NDArray[np.bool_]) -> bool:
    """Says whether the program flags all mines once every safe cell is open.

    Args:
        policy: the player.
        layout: (rows, cols) bool, the mines.
        flags: (rows, cols) bool, the flags; all on mines.
    """
    padded = np.pad(layout.astype(np.int8), 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    hidden = policy.config.codes.hidden
    board = np.where(layout, np.where(flags, FLAGGED, hidden), windows.sum(axis=(2, 3))).astype(np.int8).ravel()
    while (board == hidden).any():
        turn = policy.turn(board)
        board[turn.flags] = FLAGGED
        clicks_mine = turn.click is not None and board[turn.click] == hidden
        if (board == hidden).any() and (clicks_mine or not turn.flags):
            return False
    return True
