"""Boxes and arrows for pictures of parts and the data between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baselines.support.figures import image, styled_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Box = tuple[float, float, float, float, str, str]
"""Left and bottom edge, width and height in a picture of 8 units, text, and colour."""

Arrow = tuple[float, float, float, float, str]
"""Begin and end (x, y, x, y), and a label above its middle."""

BLUE, ORANGE, GREEN, YELLOW, GREY = "#cfe3f2", "#fbdcc7", "#cdebdf", "#fbeac3", "#e8eaed"


def draw_flow(boxes: list[Box], arrows: list[Arrow], height: float) -> bytes:
    """Returns a PNG file with boxes and arrows.

    Args:
        boxes: the parts; the first line of a text is bold.
        arrows: the flow of data.
        height: height of the picture, in the units of the boxes.
    """
    with styled_figure(8, height) as figure:
        figure.set_layout_engine("none")
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0, 8), ylim=(0, height))
        axes.set_axis_off()
        for box in boxes:
            _draw_box(axes, box)
        for x, y, to_x, to_y, label in arrows:
            style = {"arrowstyle": "-|>", "color": "0.3", "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", (to_x, to_y), (x, y), arrowprops=style)
            beside = {"ha": "left", "va": "center"} if x == to_x else {"ha": "center", "va": "bottom"}
            axes.text((x + to_x) / 2 + 0.06 * (x == to_x), (y + to_y) / 2 + 0.03, label, size=8.5, **beside)
        return image(figure)


def _draw_box(axes: Axes, box: Box) -> None:
    from matplotlib.patches import FancyBboxPatch

    left, bottom, width, height, text, colour = box
    style = "round,pad=0,rounding_size=0.07"
    axes.add_patch(FancyBboxPatch((left, bottom), width, height, style, facecolor=colour, edgecolor="0.45"))
    head, _, rest = text.partition("\n")
    middle, lines = left + width / 2, rest.count("\n") + 1 if rest else 0
    top = bottom + height / 2 + 0.085 * lines
    axes.text(middle, top, head, ha="center", va="center", weight="bold", size=9)
    if rest:
        axes.text(middle, top - 0.09, rest, ha="center", va="top", size=8.5, linespacing=1.25)
