"""Animated SVG without scripts: every tile is drawn once, and each frame paints what changed over the frames before."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.rendering import Colour


class BoardFrame(NamedTuple):
    """A board of one frame, as a picture, (side * rows, side * cols, 3) uint8, and the cell that it outlines."""

    picture: NDArray[np.uint8]
    row: int
    col: int
    outline: Colour


def hex_of(colour: Iterable[int]) -> str:
    """Returns a colour such as "#0056e0"."""
    return "#" + "".join(f"{part:02x}" for part in colour)


def path_of(cells: NDArray[np.bool_]) -> str:
    """Returns the path data of the True cells of a (rows, cols) array, as few rectangles with sides of whole cells."""
    paths, tops = [], dict[tuple[int, int], int]()
    for row, line in enumerate(np.pad(cells.astype(np.int8), ((0, 1), (1, 1)))):
        edges = np.flatnonzero(np.diff(line)).tolist()
        runs = set(zip(edges[::2], edges[1::2], strict=True))
        for left, right in sorted(tops.keys() - runs):
            top = tops.pop((left, right))
            paths.append(f"M{left} {top}H{right}V{row}H{left}")
        tops = {run: tops.get(run, row) for run in runs}
    return "".join(paths)


class TileSheet:
    """The distinct tiles of boards, numbered in the order in which they are met; `side` is theirs in pixels."""

    def __init__(self, side: int) -> None:
        self._side = side
        self._numbers: dict[bytes, int] = {}

    def draw_frames(self, boards: Iterable[BoardFrame]) -> list[str]:
        """Returns the elements that each board adds to the one before; a cell has a side of 1."""
        frames, before = [], None
        for board in boards:
            numbers = self._number(board.picture)
            changed = np.ones(numbers.shape, np.bool_) if before is None else numbers != before
            frames.append(
                "".join(
                    f'<path fill="url(#t{number})" d="{path_of(changed & (numbers == number))}"/>'
                    for number in np.unique(numbers[changed]).tolist()
                )
                + f'<path stroke="{hex_of(board.outline)}" d="M{board.col}.05 {board.row}.05h.9v.9h-.9z"/>'
            )
            before = numbers
            before[board.row, board.col] = -1  # so that the next frame paints over the outline
        return frames

    def _number(self, picture: NDArray[np.uint8]) -> NDArray[np.int64]:
        rows, cols = (length // self._side for length in picture.shape[:2])
        tiles = picture.reshape(rows, self._side, cols, self._side, 3).swapaxes(1, 2).reshape(rows * cols, -1)
        numbers = [self._numbers.setdefault(tile.tobytes(), len(self._numbers)) for tile in tiles]
        return np.array(numbers).reshape(rows, cols)

    def patterns(self) -> str:
        """Returns the definitions of all tiles, as patterns whose period is a cell."""
        start = f'width="1" height="1" viewBox="0 0 {self._side} {self._side}" patternUnits="userSpaceOnUse"'
        return "".join(
            f'<pattern id="t{number}" {start}>{self._draw_tile(tile)}</pattern>'
            for tile, number in self._numbers.items()
        )

    def _draw_tile(self, tile: bytes) -> str:
        pixels = np.frombuffer(tile, np.uint8).reshape(self._side, self._side, 3)
        colours, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
        ground, *others = colours[counts.argsort()[::-1]]
        areas = [(ground, np.ones(pixels.shape[:2], np.bool_))]
        areas += [(colour, (pixels == colour).all(axis=2)) for colour in others]
        return "".join(f'<path fill="{hex_of(colour)}" d="{path_of(area)}"/>' for colour, area in areas)


def animated_svg(
    size: tuple[int, int], fixed: str, layers: Sequence[tuple[str, Sequence[str]]], seconds: Sequence[float]
) -> bytes:
    """Returns an SVG that repeats for ever; without animation it shows the last frame.

    Args:
        size: width and height in pixels.
        fixed: elements below all layers, and definitions.
        layers: of each its transform, and the elements that each frame adds, as many as `seconds` has.
        seconds: the time for which each frame is the newest.
    """
    width, height = size
    *starts, total = accumulate(seconds, initial=0.0)
    times = "".join(
        f".f{frame}{{animation-name:f{frame}}}"
        f"@keyframes f{frame}{{0%{{visibility:hidden}}{100 * start / total:.3f}%{{visibility:visible}}}}"
        for frame, start in enumerate(starts)
        if frame
    )
    drawn = "".join(
        f'<g transform="{transform}" fill="none" stroke-width=".1">'
        + "".join(f'<g class="f{frame}">{content}</g>' for frame, content in enumerate(frames) if content)
        + "</g>"
        for transform, frames in layers
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"<style>g{{animation:{total:.3f}s step-end infinite}}{times}path{{shape-rendering:crispEdges}}"
        "text{font-family:Helvetica,Arial,sans-serif}@media(prefers-reduced-motion){g{animation:none}}</style>"
        f"{fixed}{drawn}</svg>\n"
    ).encode()
