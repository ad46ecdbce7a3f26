"""Pictures of recorded games: GIF, MP4 and PNG files of moves."""

from __future__ import annotations

import argparse
import io
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from baselines.evaluation.records import GameRecord
from baselines.recording.games import Line, RecordedGame, Recording, Slide, fixed_lines, frame_lines, replay
from baselines.support.files import replace_file
from baselines.terminal.progress import game_bar
from minesweeper_env.config import BoardConfig
from minesweeper_env.notices import say
from minesweeper_env.rendering.board import level_face, levels_of
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

LEAST_FPS = 10
"""Frames per second of a video, at least; players stumble over fewer."""

COLOURS = 255
SAMPLES = 24
"""Number of slides from which a GIF takes its colours."""

Progress = Callable[[int], object]
"""Receives the number of further slides that are drawn."""


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
        picture.paste(draw_board(game, frame, side, overlay), (left, MARGIN))
        _draw_panel(picture, left + game.config.cols * side + MARGIN, game, frame)
    return picture


def draw_board(game: RecordedGame, frame: int, side: int, overlay: bool) -> Image.Image:
    """Returns the board of a frame, side * cols wide and side * rows high, with the cell of its move outlined."""
    picture = Image.fromarray(game.scene(frame, overlay).picture(side))
    turn = game.turns[min(frame, len(game.turns) - 1)]
    lost = frame == len(game.turns) and game.result == "lost"
    left, top = turn.col * side, turn.row * side
    ImageDraw.Draw(picture).rectangle(
        (left, top, left + side - 1, top + side - 1), outline=FATAL if lost else OUTLINE, width=max(1, round(side / 10))
    )
    return picture


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


def gif(recording: Recording, on_drawn: Progress) -> bytes:
    """Returns an animated GIF that repeats for ever, one frame per slide."""
    slides = list(recording.slides())
    palette = _palette(recording, slides)
    frames = _frames(recording, slides, palette, on_drawn)
    buffer = io.BytesIO()
    next(frames).save(
        buffer,
        "GIF",
        save_all=True,
        append_images=frames,
        duration=[round(1000 * slide.seconds) for slide in slides],
        loop=0,
        optimize=True,
    )
    return buffer.getvalue()


def _palette(recording: Recording, slides: list[Slide]) -> Image.Image:
    """Returns a picture whose palette has the colours of slides from begin to end, rare ones at edges included."""
    chosen = sorted({round(place) for place in np.linspace(0, len(slides) - 1, SAMPLES)})
    samples = np.concatenate([np.asarray(_draw(recording, slides[place])) for place in chosen])
    return Image.fromarray(samples).quantize(COLOURS, Image.Quantize.MAXCOVERAGE)


def _frames(
    recording: Recording, slides: list[Slide], palette: Image.Image, on_drawn: Progress
) -> Iterator[Image.Image]:
    for slide in slides:
        yield _draw(recording, slide).quantize(palette=palette, dither=Image.Dither.NONE)
        on_drawn(1)


def _draw(recording: Recording, slide: Slide) -> Image.Image:
    config = slide.frames[0][0].config
    return draw_slide(slide, side_for(config.rows, config.cols), recording.overlay)


def mp4(recording: Recording, on_drawn: Progress) -> bytes:
    """Returns an H.264 video; each slide takes as many frames as its time needs, at least one.

    Raises:
        OSError: the encoder fails.
    """
    import imageio.v2 as imageio

    repeats = math.ceil(LEAST_FPS * recording.seconds_per_move)
    fps = repeats / recording.seconds_per_move
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "recording.mp4")
        writer: Any
        with imageio.get_writer(path, fps=fps, codec="libx264", quality=8, macro_block_size=2) as writer:
            for slide in recording.slides():
                picture = np.asarray(_draw(recording, slide))
                for _ in range(max(1, round(slide.seconds * fps))):
                    writer.append_data(picture)
                on_drawn(1)
        return path.read_bytes()


def png(recording: Recording, on_drawn: Progress) -> bytes:
    """Returns the last slide."""
    *_, last = recording.slides()
    buffer = io.BytesIO()
    _draw(recording, last).save(buffer, "PNG")
    on_drawn(len(recording))
    return buffer.getvalue()


def write_picture(options: argparse.Namespace, played: Mapping[str, tuple[BoardConfig, Sequence[GameRecord]]]) -> None:
    """Writes the file of --record.

    Args:
        options: options of `evaluate.py`.
        played: the games of each policy, by its specification: records with actions; at least one of each.

    Raises:
        OSError: the file cannot be written.
    """
    recorders = {".gif": gif, ".mp4": mp4, ".png": png}
    chosen = list(played) if options.record_all else list(played)[:1]
    count = min(options.record_games, *(len(played[name][1]) for name in chosen))
    columns = [_replayed(name, *played[name], count) for name in chosen]
    recording = Recording(list(zip(*columns, strict=True)), 1 / options.record_speed, options.record_overlay)
    with game_bar("drawing", options.record.name, len(recording), "frames") as on_drawn:
        content = recorders[options.record.suffix](recording, on_drawn)
    replace_file(options.record, content)
    say(f"{options.record}: {len(recording)} frames of {', '.join(chosen)}, {len(content) / 1000:.0f} KB")


def _replayed(name: str, config: BoardConfig, records: Sequence[GameRecord], count: int) -> list[RecordedGame]:
    """Replays the first games of a policy, and judges their clicks."""
    games = []
    with game_bar("replaying", name, count) as on_finished:
        for record in records[:count]:
            games.append(replay(name, config, record.seed, np.frombuffer(record.actions, "<u2").tolist()))
            on_finished(1)
    return games
