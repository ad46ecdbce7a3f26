"""Frames of a recording as pictures: the board with the click outlined, and a panel of text at its right."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from baselines.recording.captions import Line, fixed_lines, frame_lines
from baselines.recording.replay import RecordedGame
from baselines.recording.slides import Slide
from minesweeper_env.rendering.probabilities import level_face, levels_of
from minesweeper_env.rendering.tiles import TILE, Colour

PAPER: Colour = (247, 248, 250)
TEXT: Colour = (38, 42, 48)
LABEL: Colour = (104, 110, 120)
OUTLINE: Colour = (0, 86, 224)
FATAL: Colour = (0, 0, 0)
TRACK: Colour = (221, 224, 229)

MARGIN, PANEL = 12, 196
"""Space around a board, and the width of its panel, in pixels."""

LABEL_HEIGHT, LINE_HEIGHT, BAR_HEIGHT = 15, 21, 8
LABEL_SIZE, TEXT_SIZE = 12, 15
MOST_LINES = 8
"""The number of lines of a panel, `captions.frame_lines` with all of its lines included."""

LONGEST_BOARD = 576
"""The largest side of a board in pixels, if its tiles then have 12 pixels at least."""


def side_for(rows: int, cols: int) -> int:
    """Returns the side of a tile for boards of this size, in pixels, 12 to `TILE`."""
    return max(12, min(TILE, LONGEST_BOARD // max(rows, cols)))


def frame_size(game: RecordedGame, side: int) -> tuple[int, int]:
    """Returns the width and height of one game on a slide, in pixels; both are even, as videos need it."""
    board = (game.config.cols * side, game.config.rows * side)
    panel = MOST_LINES * (LABEL_HEIGHT + LINE_HEIGHT) + BAR_HEIGHT
    width, height = board[0] + PANEL + 3 * MARGIN, max(board[1], panel) + 2 * MARGIN
    return width + width % 2, height + height % 2


def draw_slide(slide: Slide, side: int, overlay: bool) -> Image.Image:
    """Returns the picture of a slide.

    Args:
        slide: the games and their frames.
        side: the side of a tile, in pixels.
        overlay: True to write the mine probabilities on covered cells.
    """
    width, height = frame_size(slide.frames[0][0], side)
    picture = Image.new("RGB", (width * len(slide.frames), height), PAPER)
    for place, (game, frame) in enumerate(slide.frames):
        left = place * width + MARGIN
        picture.paste(Image.fromarray(draw_board(game, frame, side, overlay)), (left, MARGIN))
        _draw_panel(picture, left + game.config.cols * side + MARGIN, game, frame)
    return picture


def draw_board(game: RecordedGame, frame: int, side: int, overlay: bool) -> NDArray[np.uint8]:
    """Returns the board of a frame, (side * rows, side * cols, 3), with the cell of its move outlined."""
    picture = game.scene(frame, overlay).picture(side)
    turn = game.turns[min(frame, len(game.turns) - 1)]
    lost = frame == len(game.turns) and game.result == "lost"
    outline(picture, turn.row, turn.col, side, FATAL if lost else OUTLINE)
    return picture


def outline(picture: NDArray[np.uint8], row: int, col: int, side: int, colour: Colour) -> None:
    """Draws a frame inside the edges of a cell, in place."""
    thick = max(1, round(side / 10))
    cell = picture[row * side : (row + 1) * side, col * side : (col + 1) * side]
    inside = cell[thick:-thick, thick:-thick].copy()
    cell[:] = colour
    cell[thick:-thick, thick:-thick] = inside


def _draw_panel(picture: Image.Image, left: int, game: RecordedGame, frame: int) -> None:
    pen = ImageDraw.Draw(picture)
    top = float(MARGIN)
    for line in [*fixed_lines(game), *frame_lines(game, frame)]:
        _write_line(pen, left, top, line)
        top += LABEL_HEIGHT + LINE_HEIGHT
        if line[0] == "risk":
            _draw_bar(pen, left, top - 2, game.turns[min(frame, len(game.turns) - 1)].risk)
            top += BAR_HEIGHT


def _write_line(pen: ImageDraw.ImageDraw, left: float, top: float, line: Line) -> None:
    label, text = line
    pen.text((left, top), label, LABEL, font=font(LABEL_SIZE))
    pen.text((left, top + LABEL_HEIGHT - 1), shortened(text, TEXT_SIZE, PANEL), TEXT, font=font(TEXT_SIZE))


def _draw_bar(pen: ImageDraw.ImageDraw, left: int, top: float, risk: float) -> None:
    """Draws a bar that the risk fills, in the colour of that risk on covered cells."""
    pen.rectangle((left, top, left + PANEL - 1, top + BAR_HEIGHT - 3), TRACK)
    if not math.isnan(risk) and risk > 0:
        colour = level_face(int(levels_of(np.array(risk))))
        pen.rectangle((left, top, left + max(1, round(risk * (PANEL - 1))), top + BAR_HEIGHT - 3), colour)


def font(size: int) -> ImageFont.FreeTypeFont:
    """Returns Pillow's own font in a size in pixels."""
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont)
    return found


def shortened(text: str, size: int, width: int) -> str:
    """Returns a text that is at most `width` pixels wide; dots replace the rest."""
    if font(size).getlength(text) <= width:
        return text
    while text and font(size).getlength(text + "...") > width:
        text = text[:-1]
    return text + "..."
