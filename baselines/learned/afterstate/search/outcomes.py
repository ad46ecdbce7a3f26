"""Outcomes of clicks: the count that a click can show, its chance, and the board then."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines.learned.afterstate.network import AfterstateNetwork

Boards = NDArray[np.int8]
Cells = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float32]

_LEAST_CHANCE = 0.05
"""Counts of lower probability are left out; the others are rescaled to sum to 1."""


class Outcomes(NamedTuple):
    """The K outcomes of clicks on N boards if they hit no mine.

    Attributes:
        after: (K, rows, cols) int8, the afterstates: the board with the count in the clicked cell, nothing else opened.
        guesses: (K,) int64, the number of the board.
        cells: (K,) int64, the clicked cell.
        chances: (K,) float32, the probability of the count; those of one click sum to 1.
    """

    after: Boards
    guesses: Cells
    cells: Cells
    chances: Floats

    @classmethod
    def of(cls, boards: Boards, counts: Floats, clicks: Flags) -> Outcomes:
        """Returns the outcomes of clicks.

        Args:
            boards: (N, rows, cols) int8 codes.
            counts: (N, COUNTS, rows * cols) float32, the probability of each count in each cell.
            clicks: (N, rows * cols) bool.
        """
        guesses, cells = np.nonzero(clicks)
        chances = counts[guesses, :, cells]
        chances[chances <= _LEAST_CHANCE] = 0
        chances /= chances.sum(axis=1, keepdims=True)
        click, count = np.nonzero(chances)
        after = afterstates(boards[guesses[click]], cells[click], count)
        return cls(after, guesses[click], cells[click], chances[click, count])

    def are_of(self, clicks: Flags) -> Flags:
        """Returns whether each outcome follows one of these clicks (N, rows * cols) bool, (K,) bool."""
        return clicks[self.guesses, self.cells]

    def chosen(self, which: Flags) -> Outcomes:
        """Returns the outcomes where `which`, (K,) bool, is True."""
        return Outcomes(self.after[which], self.guesses[which], self.cells[which], self.chances[which])

    def click_values(self, safety: Floats, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the value of each click: its safety times the mean of `worth` (K,) over its outcomes.

        Args:
            safety: (N, rows * cols) float32, the probability that each cell is safe.
            worth: (K,) float64, the probability of winning after each outcome.

        Returns:
            (N, rows * cols) float64; -1 for cells without outcomes.
        """
        places = self.guesses * safety.shape[1] + self.cells
        means = np.bincount(places, self.chances * worth, safety.size).reshape(safety.shape)
        clicked = np.bincount(places, minlength=safety.size).reshape(safety.shape) > 0
        return np.where(clicked, safety * means, -1.0)


def afterstates(boards: Boards, cells: Cells, counts: Cells) -> Boards:
    """Returns copies of boards (N, rows, cols) where one cell each shows a count, and nothing else has opened."""
    after = boards.copy()
    after.reshape(len(after), boards.shape[1] * boards.shape[2])[np.arange(len(after)), cells] = counts
    return after


AT_ONCE = 512
"""Upper bound on the boards of 64 cells in one pass of the network, so that its features stay in the cache."""


def parts_of(boards: NDArray[Any]) -> list[slice]:
    """Returns slices of boards (N, rows, cols), one for each pass."""
    size = max(1, AT_ONCE * 64 // (boards.shape[1] * boards.shape[2]))
    return [slice(start, start + size) for start in range(0, len(boards), size)]


def boards_on_device(network: AfterstateNetwork, boards: NDArray[Any]) -> Tensor:
    """Returns boards (N, rows, cols) as a tensor on the device of the network."""
    return torch.as_tensor(boards, device=next(network.parameters()).device)


def views_of(averaged: bool) -> list[tuple[int, bool]]:
    """Returns symmetries that every board has, the half turn and the reflections, or the identity alone.

    On a square board the other four bring nothing measurable, and double the time.
    """
    return [(turns, mirrored) for turns in (0, 2) for mirrored in (False, True)] if averaged else [(0, False)]
