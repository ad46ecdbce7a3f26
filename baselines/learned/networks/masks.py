"""What the codes of a board say of its cells: which can be clicked, and in the end which were safe."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION

Codes = TypeVar("Codes", NDArray[np.int8], torch.Tensor)


def click_masks(codes: Codes) -> Codes:
    """Returns where a click does something: on hidden cells and question marks, not on flags.

    Args:
        codes: (N, rows, cols), of radius 1, an array or a tensor.

    Returns:
        (N, rows * cols) bool, of the same kind.
    """
    legal: Codes = ((codes == HIDDEN) | (codes == QUESTION)).reshape(len(codes), -1)
    return legal


def safe_cells(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns which cells were safe, (rows * cols,) bool, by what the last board of a game shows, codes (rows, cols).

    A lost game shows its mines; in one that is won they are what is still covered. No cell must have a flag.
    """
    flat = codes.reshape(-1)
    return np.asarray(flat != MINE) if (flat == MINE).any() else np.asarray(flat < FLAGGED)


def unopened(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns (N,) bool, whether no cell of the board, codes (N, rows, cols), is open yet."""
    return np.asarray((codes >= FLAGGED).all(axis=(1, 2)))


def random_clicks(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """Draws for each of the boards, codes (N, rows, cols), one of its legal clicks, all equally likely.

    It draws from PyTorch's global generator, which Stable-Baselines3 seeds.
    """
    masks = click_masks(boards)
    return np.argmax(np.where(masks, torch.rand(masks.shape).numpy(), -1.0), axis=1)
