"""Figures in one matplotlib style, drawn off screen and returned as the content of a picture file."""

from __future__ import annotations

import io
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE_FILE = Path(__file__).with_name("plot_style.mplstyle")
"""Fonts, colours and resolution; it replaces the settings of the user's own matplotlibrc."""

SUFFIXES = (".png", ".pdf", ".svg")
"""The endings of the files that `image` can make."""


def check_plot(path: Path) -> None:
    """Raises a ValueError unless the ending of a file is one of `SUFFIXES`."""
    if path.suffix not in SUFFIXES:
        raise ValueError(f"a plot needs a file that ends in {', '.join(SUFFIXES)}, not {path}")


@contextmanager
def styled_figure(width: float = 8.0, height: float = 5.0, changes: dict[Any, Any] | None = None) -> Generator[Figure]:
    """Yields an empty figure, in inches; what is drawn and rendered in the block has the style of `STYLE_FILE`.

    `changes` replaces some of its settings, by their names in matplotlib.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(changes, STYLE_FILE):
        yield Figure(figsize=(width, height))


def image(figure: Figure, suffix: str = ".png") -> bytes:
    """Returns the content of a picture file; `suffix` is its ending, one of `SUFFIXES`."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=suffix.removeprefix("."))
    return buffer.getvalue()
