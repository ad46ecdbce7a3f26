"""Galleries: the final boards of many games of one policy, sorted by the risk that it took."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from PIL import Image, ImageDraw

from baselines.recording.captions import format_risk, gallery_title, summary
from baselines.recording.frames import FATAL, LABEL, OUTLINE, PAPER, TEXT, draw_board, font
from baselines.recording.replay import RecordedGame
from baselines.recording.svg_shapes import FONT, SIDE, Kind, define, kinds_of, use

BOARD = 176
"""About the length of the longer side of a board in a gallery, in pixels."""

GAP, TITLE, TITLE_SIZE, CAPTION = 18, 40, 16, 36
WON, LOST = (35, 125, 50), (186, 32, 32)
_STYLE = """\
body { font-family: Helvetica, Arial, sans-serif; background: #f7f8fa; color: #262a30; margin: 18px; }
h1 { font-size: 18px; } main { display: flex; flex-wrap: wrap; gap: 18px; }
figure { margin: 0; } figcaption { font-size: 12px; line-height: 1.5; color: #686e78; }
figcaption b { color: #237d32; } .lost figcaption b { color: #ba2020; }
summary { cursor: pointer; } td { padding: 0 8px 0 0; text-align: right; }"""


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


def svg(games: Sequence[RecordedGame]) -> bytes:
    """Returns a gallery as a self-contained SVG file."""
    games = ordered(games)
    grid = Grid.of(games)
    used: set[Kind] = set()
    parts = []
    for index, game in enumerate(games):
        left, top = grid.place(index)
        first, second = (escape(line) for line in summary(game))
        colour = "#237d32" if game.result == "won" else "#ba2020"
        parts.append(
            f"<g transform='translate({left} {top})'>"
            f"<g transform='scale({grid.side / SIDE:g})'>{_board(game, used)}</g>"
            f"<text y='{grid.height + 14}' font-size='12' fill='{colour}'>{first}</text>"
            f"<text y='{grid.height + 29}' font-size='12' fill='#686e78'>{second}</text></g>"
        )
    width, height = grid.size
    title = escape(gallery_title(games))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' "
        f"{FONT}><title>{title}</title><defs>{define(used, games[0].config.codes)}</defs>"
        f"<rect width='{width}' height='{height}' fill='#f7f8fa'/>"
        f"<text x='{GAP}' y='26' font-size='{TITLE_SIZE}' fill='#262a30'>{title}</text>{''.join(parts)}</svg>\n"
    ).encode()


def html(games: Sequence[RecordedGame]) -> bytes:
    """Returns a gallery as one HTML file without scripts: boards that wrap to the window, each with its guesses."""
    games = ordered(games)
    side = Grid.of(games).side
    used: set[Kind] = set()
    figures = "\n".join(_figure(game, side, used) for game in games)
    title = escape(gallery_title(games))
    definitions = f"<svg width='0' height='0' style='position:absolute' {FONT}><defs>{{}}</defs></svg>"
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{title}</title>\n<style>\n{_STYLE}\n</style></head>\n<body><h1>{title}</h1>\n"
        f"{definitions.format(define(used, games[0].config.codes))}\n<main>\n{figures}\n</main></body></html>\n"
    ).encode()


def _figure(game: RecordedGame, side: int, used: set[Kind]) -> str:
    config = game.config
    first, second = (escape(line) for line in summary(game))
    guesses = [(number, turn) for number, turn in enumerate(game.turns, start=1) if turn.risk > 0]
    rows = "".join(
        f"<tr><td>{number}</td><td>row {turn.row}, column {turn.col}</td><td>{escape(format_risk(turn.risk))}</td></tr>"
        for number, turn in guesses
    )
    count = f"{len(guesses)} guess{'' if len(guesses) == 1 else 'es'}"
    return (
        f"<figure class='{'won' if game.result == 'won' else 'lost'}'>"
        f"<svg viewBox='0 0 {config.cols * SIDE} {config.rows * SIDE}' width='{config.cols * side}' "
        f"height='{config.rows * side}' {FONT}>{_board(game, used)}</svg>"
        f"<figcaption><b>{first}</b><br>{second}<details><summary>{count}</summary>"
        f"<table>{rows}</table></details></figcaption></figure>"
    )


def _board(game: RecordedGame, used: set[Kind]) -> str:
    """Returns the final board of a game with its last cell outlined; adds the kinds of its cells to `used`."""
    kinds = kinds_of(game.scene(len(game.turns)))
    used.update(kind for line in kinds for kind in line)
    cells = "".join(use(kind, row, col) for row, line in enumerate(kinds) for col, kind in enumerate(line))
    turn = game.turns[-1]
    colour = "#{:02x}{:02x}{:02x}".format(*(FATAL if game.result == "lost" else OUTLINE))
    return (
        f"{cells}<rect x='{turn.col * SIDE + 2}' y='{turn.row * SIDE + 2}' width='{SIDE - 4}' height='{SIDE - 4}' "
        f"fill='none' stroke='{colour}' stroke-width='4'/>"
    )
