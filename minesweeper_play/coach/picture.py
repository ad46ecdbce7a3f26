"""Picture of a review: the curve of the probability of winning, and the skill and luck of each move."""

from __future__ import annotations

from typing import Any

from baselines.support.figures import image, styled_figure
from minesweeper_play.coach.review import Mark, Review
from minesweeper_play.coach.texts import TOLD, mines_text
from minesweeper_play.language.catalogue import Catalogue

COLOURS = {
    Mark.CALCULATED: "#56b4e9",
    Mark.INACCURATE: "#d55e00",
    Mark.AVOIDABLE: "#b00020",
    Mark.UNLUCKY: "#7a3e9d",
}
"""Colours of the marks that are drawn on the curve."""

SKILL, LUCK = "#d55e00", "#0072b2"


def draw_review(review: Review, catalogue: Catalogue, suffix: str) -> bytes:
    """Returns the content of a picture file.

    Args:
        review: the review of a game with at least one turn.
        catalogue: the texts.
        suffix: the ending of the file, one of `baselines.support.figures.SUFFIXES`.
    """
    config = review.config
    with styled_figure(8.0, 5.0) as figure:
        curve, bars = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        mines = mines_text(config.mines, catalogue)
        title = catalogue.text("picture_title", rows=config.rows, cols=config.cols, mines=mines, seed=review.seed)
        curve.set_title(title)
        _draw_curve(curve, review, catalogue)
        _draw_bars(bars, review, catalogue)
        return image(figure, suffix)


def _draw_curve(axes: Any, review: Review, catalogue: Catalogue) -> None:
    values = [100 * estimate.probability for estimate in review.curve]
    axes.plot(range(len(values)), values, color="0.25", zorder=1)
    for mark in TOLD:
        points = [verdict.turn.number for verdict in review.verdicts if verdict.mark is mark]
        if points:
            heights = [values[number] for number in points]
            label = catalogue.text(f"mark_{mark.value}")
            axes.scatter(points, heights, color=COLOURS[mark], label=label, zorder=2)
    axes.set(ylim=(-4, 104), ylabel=f"{catalogue.text('picture_win')} (%)")
    if axes.get_legend_handles_labels()[0]:
        axes.legend()


def _draw_bars(axes: Any, review: Review, catalogue: Catalogue) -> None:
    numbers = [verdict.turn.number for verdict in review.verdicts]
    skill = [100 * verdict.skill for verdict in review.verdicts]
    luck = [100 * verdict.luck for verdict in review.verdicts]
    axes.bar([number - 0.2 for number in numbers], luck, 0.4, color=LUCK, label=catalogue.text("picture_luck"))
    axes.bar([number + 0.2 for number in numbers], skill, 0.4, color=SKILL, label=catalogue.text("picture_skill"))
    axes.axhline(0, color="0.25", linewidth=0.8)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set(xlabel=catalogue.text("picture_moves"), ylabel=catalogue.text("points", points="").strip())
    axes.legend()
