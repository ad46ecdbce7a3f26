"""Reviews of games in words, in either language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from baselines.terminal.tables import Column, Table
from minesweeper_play.coach.output.boards import board_lines, curve_lines
from minesweeper_play.coach.output.position_text import mines_text, table_lines, wrapped
from minesweeper_play.coach.review import Mark, Review, Verdict
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.language.explanations import ESTIMATED, explain_proof, name_cell, name_cells
from minesweeper_play.winning import Estimate

QUIET = (Mark.SAFE,)
"""Marks whose turns in a row share a line of the table."""

TOLD = (Mark.CALCULATED, Mark.INACCURATE, Mark.AVOIDABLE, Mark.UNLUCKY)
"""Marks whose turns are explained below the table."""

EXACT = ("over", "exact", "logic")
"""Kinds of estimates that are exact."""

_PRIORITIES = (0, 0, 0, 0, 2, 0, 0, 1, 1)


def review_lines(review: Review, catalogue: Catalogue, width: int) -> list[str]:
    """Returns the lines of a review.

    Args:
        review: the review.
        catalogue: the texts.
        width: the number of columns of the terminal.
    """
    lines = [*wrapped(_head(review, catalogue), width), ""]
    if not review.verdicts:
        return [*lines, *wrapped(catalogue.text("review_empty"), width)]
    lines += [*board_lines(review.board, width, exploded=review.exploded), ""]
    lines += table_lines(_table(review, catalogue), width)
    for verdict in review.verdicts:
        if verdict.mark in TOLD:
            lines += ["", *wrapped(" ".join(detail_sentences(verdict, catalogue)), width)]
    curve = [estimate.probability for estimate in review.curve]
    lines += ["", *wrapped(catalogue.text("curve_head"), width), *curve_lines(curve, width), ""]
    for sentence in summary_sentences(review, catalogue):
        lines += wrapped(sentence, width)
    return lines


_UNJUDGED = {
    Mark.FIRST: "detail_first",
    Mark.HELP: "detail_help",
    Mark.UNLUCKY: "detail_protected",
    Mark.NOT_JUDGED: "detail_not_judged",
}
"""The sentence on a turn without a judgement, by its mark."""


def detail_sentences(verdict: Verdict, catalogue: Catalogue) -> Iterator[str]:
    """Yields what there is to say of a turn: its risk, and what was missed and why."""
    own, text, cell = verdict.judgement, catalogue.text, name_cell(verdict.turn.cell, catalogue)
    yield text("detail", number=verdict.turn.number, cell=cell, mark=text(f"mark_{verdict.mark.value}"))
    if not own.is_judged:
        yield text(_UNJUDGED[verdict.mark])
        return
    if verdict.turn.opened != (verdict.turn.cell,):
        yield text("detail_chord", cells=name_cells(verdict.turn.opened, catalogue))
    risk, excess = catalogue.per_cent(own.risk, 1), _in_points(own.excess, catalogue)
    if own.is_certain_death:
        yield text("detail_certain_mine", count=len(verdict.turn.opened))
    elif own.misses_safe:
        yield text("detail_risk", risk=risk)
    else:
        yield text("detail_excess" if own.excess else "detail_least", risk=risk, excess=excess)
    if wrong := verdict.turn.wrong_flags:
        yield text("detail_wrong_flags", cells=name_cells(wrong, catalogue), count=len(wrong))
    yield from _alternative(verdict, catalogue)


def _alternative(verdict: Verdict, catalogue: Catalogue) -> Iterator[str]:
    """Yields the better choice and its reason, or that there was none."""
    text, better = catalogue.text, verdict.better
    if better is not None and verdict.steps:
        yield text("detail_safe")
        yield from explain_proof(verdict.steps, catalogue)
    elif better is not None:
        win, own = catalogue.per_cent(better.win), catalogue.per_cent(verdict.before.probability + verdict.skill)
        risk = catalogue.per_cent(better.risk, 1)
        yield text("detail_better", cell=name_cell(better.cell, catalogue), risk=risk, win=win, own=own)
    if verdict.judgement.excess > 0.0 and verdict.mark in (Mark.CALCULATED, Mark.UNLUCKY):
        is_equal = points(verdict.skill, catalogue) == points(0.0, catalogue)
        yield text(f"detail_calculated{'_lost' * verdict.turn.lost}" if is_equal else "detail_close")
    elif verdict.mark is Mark.UNLUCKY:
        yield text("detail_unlucky")


def summary_sentences(review: Review, catalogue: Catalogue) -> Iterator[str]:
    """Yields the figures of the whole game."""
    text, marks = catalogue.text, [(review.count(mark), mark) for mark in Mark]
    counted = [text("summary_mark", count=count, mark=text(f"mark_{mark.value}")) for count, mark in marks if count]
    yield text("summary_marks", marks=", ".join(counted))
    first, last = (catalogue.per_cent(review.curve[i].probability) for i in (0, -1))
    skill, luck = points(review.skill, catalogue), points(review.luck, catalogue)
    yield text("summary_split", first=first, last=last, skill=skill, luck=luck)
    ranked = sorted(review.verdicts, key=lambda verdict: verdict.luck)
    for key, sign, verdict in (("luckiest", "+", ranked[-1]), ("unluckiest", "-", ranked[0])):
        luck = points(verdict.luck, catalogue)
        if luck.startswith(sign):
            yield text(f"summary_{key}", number=verdict.turn.number, luck=luck)
    if review.diagnosis.excess_risk:
        yield text("summary_excess", excess=_in_points(review.diagnosis.excess_risk, catalogue))
    if review.wrong_flags:
        yield text("summary_wrong_flags", count=review.wrong_flags)
    if review.practice:
        yield text("summary_practice")
    if any(estimate.kind not in EXACT for estimate in review.curve):
        yield text("summary_estimates", sign=ESTIMATED)


def points(change: float, catalogue: Catalogue) -> str:
    """Returns a change of a probability in points, with its sign."""
    number = catalogue.number(100 * abs(change), 1)
    zero = catalogue.number(0.0, 1)
    return zero if number == zero else f"{'+' if change > 0 else '-'}{number}"


def _in_points(risk: float, catalogue: Catalogue) -> str:
    return catalogue.text("points", points=catalogue.number(100 * risk, 1))


def _head(review: Review, catalogue: Catalogue) -> str:
    config = review.config
    result = catalogue.text(f"result_{review.status}", count=len(review.verdicts))
    mines = mines_text(config.mines, catalogue)
    return catalogue.text(
        "review_head", rows=config.rows, cols=config.cols, mines=mines, seed=review.seed, result=result
    )


def _table(review: Review, catalogue: Catalogue) -> Table:
    headings = catalogue.text("review_table_head").split("|")
    columns = [
        Column(heading, "left" if number == 2 else "right", priority)
        for number, (heading, priority) in enumerate(zip(headings, _PRIORITIES, strict=True))
    ]
    rows = []
    for mark, group in groupby(review.verdicts, key=lambda verdict: verdict.mark):
        verdicts = list(group)
        runs = [verdicts] if mark in QUIET else [[verdict] for verdict in verdicts]
        rows += [_row(run, catalogue) for run in runs]
    return Table("", columns, rows)


def _row(run: Sequence[Verdict], catalogue: Catalogue) -> list[str]:
    """Returns the row of a turn, or of several turns with one mark."""
    first, last, is_run = run[0], run[-1], len(run) > 1
    own = first.judgement
    number = f"{first.turn.number}-{last.turn.number}" if is_run else str(first.turn.number)
    cell = catalogue.text("review_run", count=len(run)) if is_run else name_cell(first.turn.cell, catalogue)
    return [
        number,
        cell,
        catalogue.text(f"mark_{first.mark.value}"),
        catalogue.per_cent(own.risk, 1) if own.is_judged else "-",
        catalogue.per_cent(own.least, 1) if own.is_judged else "-",
        _win(first.before, catalogue),
        _win(last.after, catalogue),
        points(sum(verdict.skill for verdict in run), catalogue),
        points(sum(verdict.luck for verdict in run), catalogue),
    ]


def _win(estimate: Estimate, catalogue: Catalogue) -> str:
    win = catalogue.per_cent(estimate.probability, 1)
    return win if estimate.kind in EXACT or not win[0].isdigit() else f"{ESTIMATED}{win}"
