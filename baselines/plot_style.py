"""Figures in one style of matplotlib, drawn off screen and returned as the bytes of an image file."""

from __future__ import annotations

import io
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE_FILE = Path(__file__).with_name("plot_style.mplstyle")
"""Fonts, colours and resolution; they override the user's own matplotlibrc."""

SUFFIXES = (".png", ".pdf", ".svg")
"""The endings of the files that `image` can make."""


def check_plot(path: Path) -> None:
    """Raises ValueError unless the file's ending is one of `SUFFIXES`."""
    if path.suffix not in SUFFIXES:
        raise ValueError(f"a plot needs a file that ends in {', '.join(SUFFIXES)}, not {path}")


@contextmanager
def styled_figure(width: float = 8.0, height: float = 5.0, changes: dict[Any, Any] | None = None) -> Generator[Figure]:
    """Yields an empty figure of `width` x `height` inches; draw and render it in the block, to have `STYLE_FILE` apply.

    `changes` overrides settings of the style, by their names in matplotlib.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(changes, STYLE_FILE):
        yield Figure(figsize=(width, height))


def image(figure: Figure, suffix: str = ".png") -> bytes:
    """Returns the figure as the bytes of an image file; `suffix` is the file's ending, one of `SUFFIXES`."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=suffix.removeprefix("."))
    return buffer.getvalue()
