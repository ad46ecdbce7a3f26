"""Layers of an opening, for its animation: the cells by the number of zeros between them and the click."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from minesweeper_play.game.moves import Cell

LAYER_SECONDS = 0.03
"""Seconds between two layers."""


def opening_layers(codes: NDArray[np.int8], cells: Iterable[Cell], origin: Cell, radius: int = 1) -> list[list[Cell]]:
    """Returns the opened cells in layers: the click, then the cells that the zeros of each layer open.

    Args:
        codes: int8 (rows, cols), the board after the opening.
        cells: the opened cells.
        origin: the click; a chord opens from several cells at once, and its origin need not be among the cells.
        radius: the radius of the neighbourhood.

    Returns:
        The layers in order. Cells that no zero leads to are the last one.
    """
    opened = set(cells)
    waiting = opened - {origin}
    layers: list[list[Cell]] = []
    layer, spreading = [origin] if origin in opened else [], [origin]
    while spreading:
        if layer:
            layers.append(layer)
        zeros = (cell for cell in spreading if codes[cell] == 0 or cell == origin)
        around = {near for cell in zeros for near in _square(cell, radius)}
        layer = spreading = sorted(around & waiting)
        waiting -= around
    return [*layers, sorted(waiting)] if waiting else layers


def _square(cell: Cell, radius: int) -> set[Cell]:
    reach = range(-radius, radius + 1)
    return {(cell[0] + down, cell[1] + right) for down in reach for right in reach}
