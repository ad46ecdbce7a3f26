"""Galleries: the final boards of many games of one policy, sorted by the risk that it took."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image, ImageDraw

from baselines.recording.captions import gallery_title, summary
from baselines.recording.frames import LABEL, PAPER, TEXT, draw_board, font
from baselines.recording.replay import RecordedGame

BOARD = 176
"""About the length of the longer side of a board in a gallery, in pixels."""

GAP, TITLE, TITLE_SIZE, CAPTION = 18, 40, 16, 36
WON, LOST = (35, 125, 50), (186, 32, 32)


def ordered(games: Sequence[RecordedGame]) -> list[RecordedGame]:
    """Returns games sorted by the risk taken, least first; games of equal risk by their seed."""
    return sorted(games, key=lambda game: (round(game.risk_taken, 12), game.seed))


class Grid(NamedTuple):
    """Places of the boards of a gallery, in pixels.

    Attributes:
        side: the side of a cell.
        columns: number of boards in a row.
        width: width of a board.
        height: height of a board.
        rows: number of rows of boards.
        least: width that the title needs.
    """

    side: int
    columns: int
    width: int
    height: int
    rows: int
    least: int

    @classmethod
    def of(cls, games: Sequence[RecordedGame]) -> Grid:
        """Returns the places of games on boards of one size: rather wide than high."""
        config = games[0].config
        side = max(12, min(24, BOARD // max(config.rows, config.cols)))
        width, height = config.cols * side, config.rows * side
        wanted = math.sqrt(1.5 * len(games) * (height + CAPTION + GAP) / (max(width, BOARD) + GAP))
        columns = max(1, min(len(games), round(wanted)))
        least = math.ceil(font(TITLE_SIZE).getlength(gallery_title(list(games)))) + 2 * GAP
        return cls(side, columns, max(width, BOARD), height, math.ceil(len(games) / columns), least)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the whole picture."""
        return (
            max(self.columns * (self.width + GAP) + GAP, self.least),
            TITLE + self.rows * (self.height + CAPTION + GAP) + GAP,
        )

    def place(self, index: int) -> tuple[int, int]:
        """Returns the left and the top of a board."""
        row, col = divmod(index, self.columns)
        return GAP + col * (self.width + GAP), TITLE + row * (self.height + CAPTION + GAP)


def png(games: Sequence[RecordedGame]) -> bytes:
    """Returns a gallery as a PNG file; `games` are of one policy and one board size."""
    games = ordered(games)
    grid = Grid.of(games)
    picture = Image.new("RGB", grid.size, PAPER)
    pen = ImageDraw.Draw(picture)
    pen.text((GAP, 12), gallery_title(games), TEXT, font=font(TITLE_SIZE))
    for index, game in enumerate(games):
        left, top = grid.place(index)
        picture.paste(Image.fromarray(draw_board(game, len(game.turns), grid.side, False)), (left, top))
        first, second = summary(game)
        pen.text((left, top + grid.height + 2), first, WON if game.result == "won" else LOST, font=font(12))
        pen.text((left, top + grid.height + 17), second, LABEL, font=font(12))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
