"""Figures in one matplotlib style, drawn off screen and returned as the content of a picture file."""

from __future__ import annotations

import io
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from minesweeper_env.texts import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.ticker import Formatter

STYLE_FILE = Path(__file__).with_name("figures.mplstyle")
"""Fonts, colours and resolution; it replaces the settings of the user's own matplotlibrc."""

SUFFIXES = (".png", ".pdf", ".svg")
"""The endings of the files that `image` can make."""


def check_plot(path: Path) -> None:
    """Raises a ValueError unless the ending of a file is one of `SUFFIXES`."""
    if path.suffix not in SUFFIXES:
        raise ValueError(f"a plot needs a file that ends in {', '.join(SUFFIXES)}, not {path}")


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
    _make_printable(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format=suffix.removeprefix("."))
    return _with_palette(buffer) if suffix == ".png" else buffer.getvalue()


def _make_printable(figure: Figure) -> None:
    """Replaces control characters of names, which no font has and which are not allowed in SVG."""
    from matplotlib.category import StrCategoryFormatter
    from matplotlib.text import Text
    from matplotlib.ticker import FuncFormatter

    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        # The labels of ticks come from a function each time the figure is drawn.
        if isinstance(names := axis.get_major_formatter(), (FuncFormatter, StrCategoryFormatter)):
            axis.set_major_formatter(partial(_printable_label, names))
    for text in figure.findobj(Text):
        text.set_text(printable(text.get_text()))


def _printable_label(names: Formatter, value: float, place: int | None = None) -> str:
    return printable(names(value, place))


def _with_palette(picture: io.BytesIO) -> bytes:
    """Returns a PNG with at most 256 colours, about a third of the size."""
    from PIL import Image

    smaller = io.BytesIO()
    Image.open(picture).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(smaller, "PNG", optimize=True)
    return smaller.getvalue()
