"""Recordings as GIF, MP4 and PNG files."""

from __future__ import annotations

import io
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from baselines.recording.frames import draw_slide, side_for
from baselines.recording.slides import Recording, Slide

LEAST_FPS = 10
"""Frames per second of a video, at least; players stumble over fewer."""

COLOURS = 255
SAMPLES = 24
"""Number of slides from which a GIF takes its colours."""

Progress = Callable[[int], object]
"""Receives the number of further slides that are drawn."""


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
    """Returns a picture whose palette has the colours of slides from begin to end."""
    chosen = sorted({round(place) for place in np.linspace(0, len(slides) - 1, SAMPLES)})
    packed = np.concatenate([_packed(np.asarray(_draw(recording, slides[place]))) for place in chosen])
    found, counts = np.unique(packed, return_counts=True)
    colours = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1)
    # Rare colours, such as those at the edges of characters, count as much as large faces of one colour.
    repeats = np.ceil(np.log2(counts + 1)).astype(int)
    pixels = np.repeat(colours, repeats, axis=0)[None]
    return Image.fromarray(pixels.astype(np.uint8)).quantize(COLOURS, Image.Quantize.MEDIANCUT)


def _packed(picture: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Returns the colour of each pixel as one number."""
    red, green, blue = (picture[..., channel].astype(np.int64).ravel() for channel in range(3))
    return red << 16 | green << 8 | blue


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
