"""The symmetries of a board: rotations and reflections, which keep the rules as they are."""

from __future__ import annotations

import torch
from torch import Tensor


def symmetries(rows: int, cols: int) -> list[tuple[int, bool]]:
    """Returns the symmetries of a board, as (quarter turns, whether it is mirrored first): 8 on a square, else 4."""
    return [(turns, mirrored) for turns in range(0, 4, 1 if rows == cols else 2) for mirrored in (False, True)]


def transform(boards: Tensor, symmetry: tuple[int, bool]) -> Tensor:
    """Applies a symmetry to boards, (N, rows, cols)."""
    turns, mirrored = symmetry
    return torch.rot90(boards.flip(2) if mirrored else boards, turns, dims=(1, 2))


def turn_at_random(boards: Tensor) -> tuple[Tensor, Tensor]:
    """Applies one symmetry, drawn by PyTorch's global generator, to boards, (N, rows, cols).

    Returns:
        The boards, and where the symmetry takes each cell, (rows * cols,) int64.
    """
    rows, cols = boards.shape[1:]
    choices = symmetries(rows, cols)
    symmetry = choices[int(torch.randint(len(choices), ()))]
    cells = torch.arange(rows * cols, device=boards.device)
    return transform(boards, symmetry), transform_cells(cells, rows, cols, symmetry)


def transform_cells(cells: Tensor, rows: int, cols: int, symmetry: tuple[int, bool]) -> Tensor:
    """Returns where a symmetry takes the cells, int64 of any shape, numbered row by row."""
    numbers = torch.arange(rows * cols, device=cells.device).reshape(1, rows, cols)
    # The transformed board of numbers says which cell came to each place; its inverse says where each went.
    places = torch.argsort(transform(numbers, symmetry).reshape(-1))
    return places[cells]
