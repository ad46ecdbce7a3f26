"""Symmetries of a board: rotations and reflections, under which the rules stay the same."""

from __future__ import annotations

import torch
from torch import Tensor


def symmetries(rows: int, cols: int) -> list[tuple[int, bool]]:
    """Returns the symmetries of a board as (quarter turns, mirrored first): 8 on a square, else 4."""
    return [(turns, mirrored) for turns in range(0, 4, 1 if rows == cols else 2) for mirrored in (False, True)]


def transform(boards: Tensor, symmetry: tuple[int, bool]) -> Tensor:
    """Applies a symmetry to boards (N, rows, cols); returns the same shape."""
    turns, mirrored = symmetry
    return torch.rot90(boards.flip(2) if mirrored else boards, turns, dims=(1, 2))


def turn_at_random(boards: Tensor) -> tuple[Tensor, Tensor]:
    """Applies one random symmetry to a batch, drawn by PyTorch's global generator.

    Args:
        boards: (N, rows, cols).

    Returns:
        The transformed boards, and (rows * cols,) int64, the new index of each cell.
    """
    rows, cols = boards.shape[1:]
    choices = symmetries(rows, cols)
    symmetry = choices[int(torch.randint(len(choices), ()))]
    cells = torch.arange(rows * cols, device=boards.device)
    return transform(boards, symmetry), transform_cells(cells, rows, cols, symmetry)


def transform_cells(cells: Tensor, rows: int, cols: int, symmetry: tuple[int, bool]) -> Tensor:
    """Returns the new indices of cells, int64 of any shape; cells are numbered row by row."""
    numbers = torch.arange(rows * cols, device=cells.device).reshape(1, rows, cols)
    # transform() gives the old index at each new cell; argsort inverts this permutation.
    new_indices = torch.argsort(transform(numbers, symmetry).reshape(-1))
    return new_indices[cells]
