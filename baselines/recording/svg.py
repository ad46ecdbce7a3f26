"""Recordings as animated SVG files: self-contained, without scripts, and small.

The cells that a move changes form a group, which is hidden until that move. A program that does not animate SVG hides
nothing, and so shows the end of the last game. All times follow one clock, the bar at the bottom, which repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from baselines.recording.captions import Line, fixed_lines, frame_lines
from baselines.recording.replay import RecordedGame
from baselines.recording.slides import END_SECONDS, Recording
from baselines.recording.svg_shapes import FONT, SIDE, Kind, define, hexadecimal, kinds_of, use
from minesweeper_env.rendering.probabilities import level_face, levels_of

MARGIN, PANEL, STEP = 16, 200, 38
"""Space around a board, the width of a panel, and the height of a line in it, in units of the picture."""

CLOCK_HEIGHT = 3
MOST_LINES = 8
SCALE = 0.75
"""Pixels per unit of the picture at its natural size."""

Table = list[list[Kind]]
"""The kind of each cell, row by row."""


class Span(NamedTuple):
    """A part of the recording, in seconds.

    Attributes:
        begin: its first second.
        end: its last one; None for the end of the recording.
    """

    begin: float
    end: float | None

    def show(self, content: str) -> str:
        """Returns a group that is visible only in this part."""
        if self.end is None:
            return self.show_from(content)
        length = self.end - self.begin
        start = f"<set attributeName='display' to='inline' begin='t.begin+{self.begin:g}s' dur='{length:g}s'/>"
        return f"<g display='none'>{start}{content}</g>"

    def show_from(self, content: str) -> str:
        """Returns a group that is hidden before this part, and visible ever after."""
        if self.begin == 0:
            return f"<g>{content}</g>"
        return f"<g><set attributeName='display' to='none' begin='t.begin' dur='{self.begin:g}s'/>{content}</g>"


def svg(recording: Recording, on_drawn: Callable[[int], object]) -> bytes:
    """Returns the SVG file of a recording."""
    first = recording.rounds[0][0]
    width, height = _size(first)
    whole = width * len(recording.rounds[0])
    used: set[Kind] = set()
    spans = list(_rounds(recording))
    body = []
    for games, span in zip(recording.rounds, spans, strict=True):
        shown = "".join(
            f"<g transform='translate({place * width + MARGIN} {MARGIN})'>{_game(game, recording, span, used)}</g>"
            for place, game in enumerate(games)
        )
        body.append(span.show(shown))
        on_drawn(max(game.frames for game in games))
    seconds = spans[-1].begin + _seconds(recording, recording.rounds[-1])
    clock = (
        f"<rect y='{height - CLOCK_HEIGHT}' width='{whole}' height='{CLOCK_HEIGHT}' fill='#8e949d'>"
        f"<animate id='t' attributeName='width' from='0' to='{whole}' begin='0s;t.end' dur='{seconds:g}s'/></rect>"
    )
    definitions = define(used, first.config.codes)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {whole} {height}' width='{SCALE * whole:g}' "
        f"height='{SCALE * height:g}' {FONT}><title>{escape(_title(recording))}</title><defs>{definitions}</defs>"
        f"<rect width='{whole}' height='{height}' fill='#f7f8fa'/>{''.join(body)}{clock}</svg>\n"
    ).encode()


def _title(recording: Recording) -> str:
    policies = " and ".join(game.policy for game in recording.rounds[0])
    return f"Minesweeper, played by {policies}"


def _size(game: RecordedGame) -> tuple[int, int]:
    panel = MOST_LINES * STEP + 10
    return game.config.cols * SIDE + PANEL + 3 * MARGIN, max(game.config.rows * SIDE, panel) + 2 * MARGIN


def _seconds(recording: Recording, games: Sequence[RecordedGame]) -> float:
    """Returns the length of a round in seconds."""
    return (max(game.frames for game in games) - 1) * recording.seconds_per_move + END_SECONDS


def _rounds(recording: Recording) -> Iterator[Span]:
    begin = 0.0
    for number, games in enumerate(recording.rounds, start=1):
        end = begin + _seconds(recording, games)
        yield Span(begin, None if number == len(recording.rounds) else end)
        begin = end


def _game(game: RecordedGame, recording: Recording, span: Span, used: set[Kind]) -> str:
    """Returns the board of a game and its panel; adds the kinds of cells on it to `used`."""
    parts, before = [], [[Kind("covered")] * game.config.cols for _ in range(game.config.rows)]
    used.add(Kind("covered"))
    cells = "".join(
        use(Kind("covered"), row, col) for row in range(game.config.rows) for col in range(game.config.cols)
    )
    parts.append(cells)
    for frame in range(game.frames):
        begin = span.begin + frame * recording.seconds_per_move
        after = kinds_of(game.scene(frame, recording.overlay))
        if changed := _changes(before, after, used):
            parts.append(Span(begin, None).show_from(changed))
        last = frame == game.frames - 1
        now = Span(begin, None if last else begin + recording.seconds_per_move)
        parts.append(now.show(_outline(game, frame) + _panel(game, frame)))
        before = after
    return "".join(parts)


def _changes(before: Table, after: Table, used: set[Kind]) -> str:
    """Returns the cells that differ from the board before."""
    cells = []
    for row, (old, new) in enumerate(zip(before, after, strict=True)):
        for col, (was, kind) in enumerate(zip(old, new, strict=True)):
            if was != kind:
                used.add(kind)
                cells.append(use(kind, row, col))
    return "".join(cells)


def _outline(game: RecordedGame, frame: int) -> str:
    turn = game.turns[min(frame, len(game.turns) - 1)]
    colour = "#000" if frame == len(game.turns) and game.result == "lost" else "#0056e0"
    return (
        f"<rect x='{turn.col * SIDE + 1.5}' y='{turn.row * SIDE + 1.5}' width='{SIDE - 3}' height='{SIDE - 3}' "
        f"fill='none' stroke='{colour}' stroke-width='3'/>"
    )


def _panel(game: RecordedGame, frame: int) -> str:
    left, top = game.config.cols * SIDE + MARGIN, 0
    parts = []
    for line in [*fixed_lines(game), *frame_lines(game, frame)]:
        parts.append(_line(left, top, line))
        top += STEP
        if line[0] == "risk":
            parts.append(_bar(left, top - 2, game.turns[min(frame, len(game.turns) - 1)].risk))
            top += 10
    return "".join(parts)


def _line(left: int, top: int, line: Line) -> str:
    label, text = (escape(each) for each in line)
    fitted = f" textLength='{PANEL}' lengthAdjust='spacingAndGlyphs'" if len(line[1]) > 26 else ""
    return (
        f"<text x='{left}' y='{top + 12}' font-size='12' fill='#686e78'>{label}</text>"
        f"<text x='{left}' y='{top + 29}' font-size='16' fill='#262a30'{fitted}>{text}</text>"
    )


def _bar(left: int, top: int, risk: float) -> str:
    track = f"<rect x='{left}' y='{top}' width='{PANEL}' height='6' fill='#dde0e5'/>"
    if not risk > 0:
        return track
    colour = hexadecimal(level_face(int(levels_of(np.array(risk)))))
    return f"{track}<rect x='{left}' y='{top}' width='{max(1, risk * PANEL):.1f}' height='6' fill='{colour}'/>"
