"""Positions for the benchmark of inference: guesses from the middle of games, and hard positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import baselines
from baselines.evaluation.games import play_games
from minesweeper_env import BoardConfig
from minesweeper_env.inference import certain_cells, mine_probabilities

Board = NDArray[np.int8]
Layout = NDArray[np.bool_]

HIDDEN = 11


class Guesses:
    """Observer of `play_games` that collects boards on which a click was a guess, first clicks excluded."""

    def __init__(self, mines: int, wanted: int) -> None:
        """Prepares to collect `wanted` boards."""
        self.mines, self.wanted = mines, wanted
        self.boards: list[Board] = []

    def __call__(self, _games: NDArray[np.int64], observations: Board, *_: NDArray[np.generic]) -> None:
        """Observes one step of several games."""
        for board in observations:
            begun, full = (board < HIDDEN).any(), len(self.boards) == self.wanted
            if begun and not full and not certain_cells(board, self.mines).safe.any():
                self.boards.append(board.copy())


def guesses(size: tuple[int, int], mines: int, wanted: int) -> tuple[NDArray[np.int8], int]:
    """Returns (wanted, rows, cols) boards of games of the policy `exact` on seeds 0, 1, ...; and how many games.

    First click "opening". The games are played one after the other, so that none is favoured for being short.
    """
    config = BoardConfig.of_size(size, mines, first_click="opening", moves=("click",))
    policy = baselines.make_policy("exact", size=size, mines=mines, first_click="opening")
    found = Guesses(mines, wanted)
    seed = 0
    while len(found.boards) < wanted:
        play_games(policy, config, [seed], observer=found)
        seed += 1
    return np.stack(found.boards), seed


def board_of(layout: Layout, is_open: Layout) -> Board:
    """Returns the board of a layout with the given cells open."""
    padded = np.pad(layout.astype(np.int8), 1)
    rows, cols = layout.shape
    counts = sum(padded[row : row + rows, col : col + cols] for row in range(3) for col in range(3))
    return np.where(is_open, counts, HIDDEN).astype(np.int8)


def with_numbers_at(size: tuple[int, int], cells: Sequence[tuple[int, int]], mines: int, seed: int) -> Board:
    """Returns a board of a random layout; exactly the given cells are open, and none of them is a mine."""
    is_open, layout = np.zeros((2, *size), np.bool_)
    is_open[tuple(zip(*cells, strict=True))] = True
    free = np.flatnonzero(~is_open)
    layout.flat[np.random.default_rng(seed).permutation(free)[:mines]] = True
    return board_of(layout, is_open)


def lattice(size: tuple[int, int], mines: int, seed: int) -> Board:
    """Returns a board with a number at every odd row and column."""
    cells = [(row, col) for row in range(1, size[0], 2) for col in range(1, size[1], 2)]
    return with_numbers_at(size, cells, mines, seed)


def chain(mines: int, seed: int) -> Board:
    """Returns a board of 5 x 100 with a number in every other column of the middle row, none of them 0 or 8.

    Neighbouring numbers share three cells, and no number decides its cells by itself: the frontier is one chain.
    """
    while True:
        board = with_numbers_at((5, 100), [(2, col) for col in range(1, 100, 2)], mines, seed)
        if not np.isin(board, [0, 8]).any():
            return board
        seed += 1


def played(size: tuple[int, int], mines: int, rounds: int, seed: int) -> Board:
    """Returns the board after a number of rounds without a loss.

    A round opens all cells that are certainly free; where there are none, the free cell of the least risk.
    """
    cells = size[0] * size[1]
    layout = np.random.default_rng(seed).permutation(cells).reshape(size) < mines
    everything = board_of(layout, ~layout)
    is_open = np.zeros(size, np.bool_)
    is_open.flat[np.flatnonzero(everything == 0)[0]] = True
    for _ in range(rounds):
        board = np.where(is_open, everything, HIDDEN)
        safe = certain_cells(board, mines).safe
        if not safe.any():
            safe.flat[np.where(is_open | layout, 2.0, mine_probabilities(board, mines)).argmin()] = True
        is_open |= safe
    return np.where(is_open, everything, HIDDEN)
