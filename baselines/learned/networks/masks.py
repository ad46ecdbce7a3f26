"""Functions of codes: legal clicks, safe cells of a finished game, random clicks."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION

ArrayOrTensor = TypeVar("ArrayOrTensor", NDArray[np.int8], torch.Tensor)


def click_masks(codes: ArrayOrTensor) -> ArrayOrTensor:
    """Returns the mask of legal clicks: hidden cells and question marks, not flags.

    Args:
        codes: (N, rows, cols), radius 1, an array or a tensor.

    Returns:
        (N, rows * cols) bool, an array or a tensor as `codes` is.
    """
    legal: ArrayOrTensor = ((codes == HIDDEN) | (codes == QUESTION)).reshape(len(codes), -1)
    return legal


def covered_cells(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns the covered cells of boards that show no mine, flags and question marks included, (N, rows * cols) bool.

    Args:
        codes: (N, rows, cols) int8, radius 1.
    """
    return np.asarray((codes >= FLAGGED).reshape(len(codes), codes.shape[1] * codes.shape[2]))


def safe_cells(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns the safe cells of a finished game, (rows * cols,) bool.

    A lost board shows its mines. On a won board the covered cells are the mines.

    Args:
        codes: (rows, cols) int8, the last board of the game, without flags.
    """
    flat = codes.reshape(-1)
    return np.asarray(flat != MINE) if (flat == MINE).any() else np.asarray(flat < FLAGGED)


def unopened(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns (N,) bool, True for each board of `codes`, (N, rows, cols), without an open cell."""
    return np.asarray((codes >= FLAGGED).all(axis=(1, 2)))


def random_clicks(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """Draws one legal click per board uniformly, by PyTorch's global generator, which Stable-Baselines3 seeds.

    Args:
        boards: (N, rows, cols) int8 codes.

    Returns:
        (N,) int64, cells row * cols + col.
    """
    masks = click_masks(boards)
    return np.argmax(np.where(masks, torch.rand(masks.shape).numpy(), -1.0), axis=1)
