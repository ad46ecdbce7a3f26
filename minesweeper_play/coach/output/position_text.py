"""Analyses of positions in words, in either language."""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Iterator, Sequence

from baselines.terminal.streams import console_on
from baselines.terminal.tables import Column, Table
from minesweeper_play.coach.contradiction import ContradictionError
from minesweeper_play.coach.output.boards import board_lines
from minesweeper_play.coach.position import Analysis
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.language.explanations import explain_proof, name_cell, name_cells
from minesweeper_play.winning import Choice, Estimate

_MOST_LAYOUTS = 1_000_000
"""The largest number of layouts that is printed as a number."""


def position_lines(analysis: Analysis, catalogue: Catalogue, width: int) -> list[str]:
    """Returns the lines of an analysis.

    Args:
        analysis: the analysis.
        catalogue: the texts.
        width: the number of columns of the terminal.
    """
    shown = analysis.probabilities if analysis.status in ("ready", "playing") else None
    lines = [*wrapped(_head(analysis, catalogue), width), "", *board_lines(analysis.board, width, shown), ""]
    for sentence in _sentences(analysis, catalogue):
        lines += wrapped(sentence, width)
    if analysis.status == "playing" and not analysis.steps:
        lines += ["", *choice_lines(analysis.choices, catalogue, width)]
    return lines


def win_text(estimate: Estimate, catalogue: Catalogue) -> str:
    """Returns a probability of winning, and where it comes from."""
    points = catalogue.text("points", points=catalogue.number(100 * estimate.error, 1))
    win = catalogue.per_cent(estimate.probability, 1)
    return catalogue.text(f"win_{estimate.kind}", win=win, error=points)


def choice_lines(choices: Sequence[Choice], catalogue: Catalogue, width: int) -> list[str]:
    """Returns a table of clicks with their risk and what they win."""
    headings = catalogue.text("choices_head").split("|")
    rows = [
        [name_cell(each.cell, catalogue), catalogue.per_cent(each.risk, 1), catalogue.per_cent(each.win, 1)]
        for each in choices
    ]
    return table_lines(Table("", [Column(heading) for heading in headings], rows), width)


def table_lines(table: Table, width: int) -> list[str]:
    """Returns the lines of a table."""
    text = io.StringIO()
    console_on(text, styled=False, width=width).print(table.draw(width))
    return [line.rstrip() for line in text.getvalue().splitlines()]


def contradiction_text(error: ContradictionError, catalogue: Catalogue) -> str:
    """Returns one sentence on a position that no layout fits."""
    if error.clues:
        cells = name_cells(error.clues, catalogue)
        return catalogue.text("contradiction", cells=cells, count=len(error.clues))
    bound = error.below if error.above is None else error.above
    if error.below is not None and error.above is not None:
        text = catalogue.text("alternative", one=error.below, other=error.above)
    else:
        text = catalogue.text("at_most" if error.above is None else "at_least", number=bound)
    return catalogue.text("contradiction_mines", allowed=text, mines=error.mines, count=bound)


def mines_text(mines: int, catalogue: Catalogue) -> str:
    """Returns a number of mines in words, such as "14 mines"."""
    return catalogue.text("mine_count", count=mines)


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Returns the lines of a sentence; the name of a cell, such as "(3 7)", stays in one line."""
    joined = re.sub(r"\((\d+) (\d+)\)", "(\\1\u00a0\\2)", text)
    lines = textwrap.wrap(joined, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return [re.sub("\\((\\d+)\u00a0(\\d+)\\)", r"(\1 \2)", line) for line in lines]


def _head(analysis: Analysis, catalogue: Catalogue) -> str:
    (rows, cols), mines = analysis.board.shape, mines_text(analysis.mines, catalogue)
    if analysis.layouts > _MOST_LAYOUTS:
        power = round(math.log10(analysis.layouts))
        return catalogue.text("position_many", rows=rows, cols=cols, mines=mines, power=power)
    layouts = analysis.layouts
    return catalogue.text("position_head", rows=rows, cols=cols, mines=mines, layouts=layouts, count=layouts)


def _sentences(analysis: Analysis, catalogue: Catalogue) -> Iterator[str]:
    if analysis.status in ("won", "lost"):
        yield catalogue.text(f"position_{analysis.status}")
        return
    if analysis.wrong_flags:
        cells = name_cells(analysis.wrong_flags, catalogue)
        yield catalogue.text("position_wrong_flags", cells=cells, count=len(analysis.wrong_flags))
    if analysis.mine:
        yield catalogue.text("position_mines", cells=name_cells(analysis.mine, catalogue))
    if analysis.safe:
        yield catalogue.text("position_safe", cells=name_cells(analysis.safe, catalogue))
    yield catalogue.text("position_win", win=win_text(analysis.win, catalogue))
    assert analysis.best is not None
    key = "first" if analysis.status == "ready" else "best" if analysis.steps else "guess"
    yield catalogue.text(f"position_{key}", cell=name_cell(analysis.best, catalogue))
    yield from explain_proof(analysis.steps, catalogue)
