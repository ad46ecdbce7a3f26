"""Figures in one matplotlib style, drawn off screen and returned as the content of a picture file."""

from __future__ import annotations

import io
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE_FILE = Path(__file__).with_name("figures.mplstyle")
"""Fonts, colours and resolution; it replaces the settings of the user's own matplotlibrc."""

SUFFIXES = (".png", ".pdf", ".svg")
"""The endings of the files that `image` can make."""


def check_plot(path: Path) -> None:
    """Checks the file of the option --plot.

    Raises:
        ValueError: its ending is none of `SUFFIXES`.
    """
    if path.suffix not in SUFFIXES:
        *most, last = SUFFIXES
        raise ValueError(f"--plot takes a file that ends in {', '.join(most)} or {last}, not {path}")


@contextmanager
def styled_figure(width: float = 8.0, height: float = 5.0) -> Generator[Figure]:
    """Yields an empty figure; whatever is drawn and rendered in the block has the style of `STYLE_FILE`.

    Args:
        width: in inches.
        height: in inches.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(fname=STYLE_FILE):
        yield Figure(figsize=(width, height))


def image(figure: Figure, suffix: str = ".png") -> bytes:
    """Returns the content of a picture file.

    Args:
        figure: the finished figure.
        suffix: the ending of the file, one of `SUFFIXES`.
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format=suffix.removeprefix("."))
    return _with_palette(buffer) if suffix == ".png" else buffer.getvalue()


def _with_palette(picture: io.BytesIO) -> bytes:
    """Returns a PNG with at most 256 colours, about a third of the size."""
    from PIL import Image

    smaller = io.BytesIO()
    Image.open(picture).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(smaller, "PNG", optimize=True)
    return smaller.getvalue()
