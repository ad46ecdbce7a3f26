"""Animated SVG without scripts: each tile is defined once, and each frame is painted over those before it."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.rendering import Colour


class BoardFrame(NamedTuple):
    """The board of one frame: a picture, (side * rows, side * cols, 3) uint8, and the cell outlined on it."""

    picture: NDArray[np.uint8]
    row: int
    col: int
    outline: Colour


def hex_of(colour: Iterable[int]) -> str:
    """Returns an RGB colour in hexadecimal digits, such as "#0056e0"."""
    return "#" + "".join(f"{part:02x}" for part in colour)


def path_of(cells: NDArray[np.bool_]) -> str:
    """Returns SVG path data that covers the True cells of a (rows, cols) array with rectangles; a cell's side is 1."""
    paths, top_of_run = [], dict[tuple[int, int], int]()
    # A run [left, right) of True cells in a row grows downwards from its top while each next row has the same run. The
    # padding closes runs at the sides, and an empty last row ends them all.
    for row, is_covered in enumerate(np.pad(cells.astype(np.int8), ((0, 1), (1, 1)))):
        edges = np.flatnonzero(np.diff(is_covered)).tolist()  # left, right, left, right, ...
        runs = set(zip(edges[::2], edges[1::2], strict=True))
        for left, right in sorted(top_of_run.keys() - runs):
            top = top_of_run.pop((left, right))
            paths.append(f"M{left} {top}H{right}V{row}H{left}")
        top_of_run = {run: top_of_run.get(run, row) for run in runs}
    return "".join(paths)


class TileSheet:
    """The distinct tiles of boards, numbered as they first appear; `side` is the side of a tile in pixels."""

    def __init__(self, side: int) -> None:
        self._side = side
        self._numbers: dict[bytes, int] = {}

    def draw_frames(self, boards: Iterable[BoardFrame]) -> list[str]:
        """Returns for each frame the SVG elements that turn the frame before into it; a cell's side is 1."""
        frames, previous = [], None
        for board in boards:
            numbers = self._tile_numbers(board.picture)
            changed = np.ones(numbers.shape, np.bool_) if previous is None else numbers != previous
            frames.append(
                "".join(
                    f'<path fill="url(#t{number})" d="{path_of(changed & (numbers == number))}"/>'
                    for number in np.unique(numbers[changed]).tolist()
                )
                + f'<path stroke="{hex_of(board.outline)}" d="M{board.col}.05 {board.row}.05h.9v.9h-.9z"/>'
            )
            previous = numbers
            previous[board.row, board.col] = -1  # so that the next frame paints over the outline
        return frames

    def _tile_numbers(self, picture: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Returns the number of the tile in each cell, (rows, cols); a tile not seen before gets the next number."""
        rows, cols = (length // self._side for length in picture.shape[:2])
        pixels = picture.reshape(rows, self._side, cols, self._side, 3)
        tiles = pixels.swapaxes(1, 2).reshape(rows * cols, -1)
        numbers = [self._numbers.setdefault(tile.tobytes(), len(self._numbers)) for tile in tiles]
        return np.array(numbers).reshape(rows, cols)

    def patterns(self) -> str:
        """Returns the SVG definitions of all tiles, as fill patterns that repeat in every cell."""
        attributes = f'width="1" height="1" viewBox="0 0 {self._side} {self._side}" patternUnits="userSpaceOnUse"'
        return "".join(
            f'<pattern id="t{number}" {attributes}>{self._draw_tile(tile)}</pattern>'
            for tile, number in self._numbers.items()
        )

    def _draw_tile(self, tile: bytes) -> str:
        pixels = np.frombuffer(tile, np.uint8).reshape(self._side, self._side, 3)
        colours, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
        # The most frequent colour fills the tile, and the others are painted over it.
        ground, *others = colours[counts.argsort()[::-1]]
        areas = [(ground, np.ones(pixels.shape[:2], np.bool_))]
        areas += [(colour, (pixels == colour).all(axis=2)) for colour in others]
        return "".join(f'<path fill="{hex_of(colour)}" d="{path_of(area)}"/>' for colour, area in areas)


def animated_svg(
    size: tuple[int, int], fixed: str, layers: Sequence[tuple[str, Sequence[str]]], seconds: Sequence[float]
) -> bytes:
    """Returns an SVG file that repeats for ever; a viewer without animation shows the last frame.

    Args:
        size: width and height in pixels.
        fixed: SVG definitions, and elements below all layers.
        layers: for each layer its transform, and the SVG elements that each frame adds.
        seconds: duration of each frame, from its appearance to that of the next one.
    """
    width, height = size
    *starts, total = accumulate(seconds, initial=0.0)
    # Frame 0 is always visible; any other frame is hidden until its start, and stays to the end.
    keyframes = "".join(
        f".f{frame}{{animation-name:f{frame}}}"
        f"@keyframes f{frame}{{0%{{visibility:hidden}}{100 * start / total:.3f}%{{visibility:visible}}}}"
        for frame, start in enumerate(starts)
        if frame
    )
    groups = "".join(
        f'<g transform="{transform}" fill="none" stroke-width=".1">'
        + "".join(f'<g class="f{frame}">{content}</g>' for frame, content in enumerate(frames) if content)
        + "</g>"
        for transform, frames in layers
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"<style>g{{animation:{total:.3f}s step-end infinite}}{keyframes}path{{shape-rendering:crispEdges}}"
        "text{font-family:Helvetica,Arial,sans-serif}@media(prefers-reduced-motion){g{animation:none}}</style>"
        f"{fixed}{groups}</svg>\n"
    ).encode()
