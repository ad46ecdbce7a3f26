"""Analyses of positions and reviews of games, as sentences in English or Spanish."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
from rich.table import Table

from minesweeper_env.codes import FLAGGED
from minesweeper_env.inference.kernels import TIE
from minesweeper_play.catalogue import Catalogue, wrapped_lines
from minesweeper_play.coach.board_text import ASCII, board_lines, draw_codes, draw_session, with_exploded
from minesweeper_play.coach.review import Analysis, Mark, Review, Turn
from minesweeper_play.explanations import (
    ESTIMATED,
    explain_proof,
    name_cell,
    name_cells,
    name_win,
    table_lines,
    table_of,
)
from minesweeper_play.game.moves import Cell

_MOST_LAYOUTS = 1_000_000
"""The largest number of layouts that is printed as a number."""

CURVE_ROWS = 11
"""Lines of a curve: one per ten per cent."""

TOLD = (Mark.CALCULATED, Mark.INACCURATE, Mark.AVOIDABLE, Mark.UNLUCKY)
"""Marks whose turns are explained below the table."""

EXACT = ("over", "exact", "logic")
"""Kinds of estimates that are exact."""


def curve_lines(values: Sequence[float], width: int) -> list[str]:
    """Returns the lines of a chart, at most `width` wide, of one or more probabilities: after 0 moves, after 1, ..."""
    columns = min(max(width - len("100% |"), 2), max(len(values), 2))
    heights = np.interp(np.linspace(0, len(values) - 1, columns), range(len(values)), values)
    levels = np.round(heights * (CURVE_ROWS - 1)).astype(int)
    lines = []
    for level in reversed(range(CURVE_ROWS)):
        marks = "".join("*" if each == level else " " for each in levels)
        lines.append(f"{level * 100 // (CURVE_ROWS - 1):>3}% |{marks}".rstrip())
    last = str(len(values) - 1)
    return [*lines, "     0" + last.rjust(max(columns - 1, len(last) + 1))]


def position_lines(analysis: Analysis, catalogue: Catalogue, width: int) -> list[str]:
    """Returns the lines of an analysis for a terminal with `width` columns."""
    risks = analysis.probabilities if analysis.status in ("ready", "playing") else None
    lines = [*wrapped_lines(_position_head(analysis, catalogue), width), ""]
    cells = with_exploded(draw_codes(analysis.board, ASCII, risks), analysis.exploded, ASCII)
    lines += [*board_lines(cells, width), ""]
    for sentence in _position_sentences(analysis, catalogue):
        lines += wrapped_lines(sentence, width)
    if analysis.status == "playing" and not analysis.steps and not analysis.survives:
        rows = [
            [name_cell(each.cell, catalogue), catalogue.per_cent(each.risk, 1), catalogue.per_cent(each.win, 1)]
            for each in analysis.choices
        ]
        lines += ["", *table_lines(table_of(catalogue.text("choices_head"), rows), width)]
    if analysis.before is not None:
        lines += ["", catalogue.text("position_before"), *position_lines(analysis.before, catalogue, width)]
    return lines


def _position_head(analysis: Analysis, catalogue: Catalogue) -> str:
    """Returns the sentence on the size, the mines and the layouts: their number, or its power of 10 if it is large."""
    (rows, cols), mines = analysis.board.shape, catalogue.text("mine_count", count=analysis.mines)
    values = {"rows": rows, "cols": cols, "mines": mines, "layouts": analysis.layouts, "count": analysis.layouts}
    is_many = analysis.layouts > _MOST_LAYOUTS
    power = round(math.log10(analysis.layouts))
    return catalogue.text("position_many" if is_many else "position_head", power=power, **values)


def _position_sentences(analysis: Analysis, catalogue: Catalogue) -> Iterator[str]:
    """Yields the sentences on a position: its end, or its certain cells, probability of winning and best move."""
    if analysis.status in ("won", "lost"):
        yield catalogue.text(f"position_{analysis.status}")
        if analysis.before is not None and analysis.exploded is not None:
            yield " ".join(_last_click_sentences(analysis.before, analysis.exploded, catalogue))
        return
    if analysis.wrong_flags:
        cells = name_cells(analysis.wrong_flags, catalogue)
        yield catalogue.text("position_wrong_flags", cells=cells, count=len(analysis.wrong_flags))
    if analysis.mine:
        yield catalogue.text("position_mines", cells=name_cells(analysis.mine, catalogue))
    if analysis.safe:
        yield catalogue.text("position_safe", cells=name_cells(analysis.safe, catalogue))
    win, error = catalogue.per_cent(analysis.win.probability, 1), _in_points(analysis.win.error, catalogue)
    yield catalogue.text(f"position_{analysis.win.kind}", win=win, error=error)
    assert analysis.best is not None
    key = "first" if analysis.status == "ready" else "best" if analysis.steps else "guess"
    key = "advice_survives" if analysis.survives else f"position_{key}"
    yield catalogue.text(key, cell=name_cell(analysis.best, catalogue))
    if analysis.has_flag:
        yield catalogue.text("advice_flag", cell=name_cell(analysis.best, catalogue))
    yield from explain_proof(analysis.steps, analysis.board, catalogue)


def _last_click_sentences(before: Analysis, cell: Cell, catalogue: Catalogue) -> Iterator[str]:
    """Yields the sentences on the click that lost: its risk in the position before, and whether a cell was safe."""
    yield catalogue.text("position_opened", cell=name_cell(cell, catalogue))
    least = float(before.probabilities[before.board >= FLAGGED].min())
    yield _risk_sentence(float(before.probabilities[cell]), least, catalogue)
    if before.safe:
        yield catalogue.text("detail_safe")


def _risk_sentence(risk: float, least: float, catalogue: Catalogue, cells: int = 1) -> str:
    """Returns the sentence on the risk of opening cells, beside the least risk on the board; 1 is certain."""
    if risk == 1.0:
        return catalogue.text("detail_certain_mine", count=cells)
    key = "detail_least" if risk - least <= TIE else "detail_excess" if least else "detail_risk"
    return catalogue.text(key, risk=catalogue.per_cent(risk, 1), least=catalogue.per_cent(least, 1))


def review_lines(review: Review, catalogue: Catalogue, width: int) -> list[str]:
    """Returns the lines of a review for a terminal with `width` columns."""
    lines = [*wrapped_lines(_head(review, catalogue), width), ""]
    if not review.turns:
        return [*lines, *wrapped_lines(catalogue.text("review_empty"), width)]
    lines += [*board_lines(draw_session(review.session, ASCII), width), ""]
    lines += table_lines(_table(review, catalogue), width)
    for turn in review.turns:
        if turn.mark in TOLD:
            lines += ["", *wrapped_lines(" ".join(detail_sentences(turn, catalogue)), width)]
    curve = [estimate.probability for estimate in review.curve]
    lines += ["", *wrapped_lines(catalogue.text("curve_head"), width), *curve_lines(curve, width), ""]
    for sentence in summary_sentences(review, catalogue):
        lines += wrapped_lines(sentence, width)
    return lines


_UNJUDGED = {
    Mark.FIRST: "detail_first",
    Mark.HELP: "detail_help",
    Mark.UNLUCKY: "detail_protected",
    Mark.NOT_JUDGED: "detail_not_judged",
}
"""The sentence on a turn without a judgement, by its mark."""


def detail_sentences(turn: Turn, catalogue: Catalogue) -> Iterator[str]:
    """Yields the sentences on a turn: its risk, and a better click with its proof, or that no better one is known."""
    text, cell = catalogue.text, name_cell(turn.move.cell, catalogue)
    yield text("detail", number=turn.number, cell=cell, mark=text(f"mark_{turn.mark}"))
    if not turn.is_judged:
        yield text(_UNJUDGED[turn.mark])
        return
    if turn.opened != (turn.move.cell,):
        yield text("detail_chord", cells=name_cells(turn.opened, catalogue))
    yield _risk_sentence(turn.risk, turn.least, catalogue, len(turn.opened))
    if wrong := turn.wrong_flags:
        yield text("detail_wrong_flags", cells=name_cells(wrong, catalogue), count=len(wrong))
    better = turn.better
    if better is not None and turn.steps:
        yield text("detail_safe")
        yield from explain_proof(turn.steps, turn.board, catalogue)
    elif better is not None:
        win, own = catalogue.per_cent(better.win), catalogue.per_cent(turn.before.probability + turn.skill)
        risk = catalogue.per_cent(better.risk, 1)
        yield text("detail_better", cell=name_cell(better.cell, catalogue), risk=risk, win=win, own=own)
    if turn.excess > 0.0 and turn.mark in (Mark.CALCULATED, Mark.UNLUCKY):
        is_equal = points(turn.skill, catalogue) == points(0.0, catalogue)
        yield text(f"detail_calculated{'_lost' if turn.lost else ''}" if is_equal else "detail_close")
    elif turn.mark is Mark.UNLUCKY:
        yield text("detail_unlucky")


def summary_sentences(review: Review, catalogue: Catalogue) -> Iterator[str]:
    """Yields the sentences on the figures of the whole game."""
    text, counts = catalogue.text, Counter(turn.mark for turn in review.turns)
    counted = [text("summary_mark", count=counts[mark], mark=text(f"mark_{mark}")) for mark in Mark if counts[mark]]
    yield text("summary_marks", marks=", ".join(counted))
    first, last = (catalogue.per_cent(review.curve[i].probability) for i in (0, -1))
    skill, luck = points(review.skill, catalogue), points(review.luck, catalogue)
    yield text("summary_split", first=first, last=last, skill=skill, luck=luck)
    ranked = sorted(review.turns, key=lambda turn: turn.luck)
    for key, sign, turn in (("luckiest", "+", ranked[-1]), ("unluckiest", "-", ranked[0])):
        luck = points(turn.luck, catalogue)
        if luck.startswith(sign):
            yield text(f"summary_{key}", number=turn.number, luck=luck)
    if excess := math.fsum(turn.excess for turn in review.turns):
        yield text("summary_excess", excess=_in_points(excess, catalogue))
    if review.wrong_flags:
        yield text("summary_wrong_flags", count=review.wrong_flags)
    if review.session.practice:
        yield text("summary_practice")
    if any(estimate.kind not in EXACT for estimate in review.curve):
        yield text("summary_estimates", sign=ESTIMATED)


def compare(review: Review, policy_review: Review, policy: str, catalogue: Catalogue) -> str:
    """Returns the sentences that compare the game of a policy on the same mines with the game of the player."""
    player_text, policy_text = (
        catalogue.text(f"result_{each.session.status}", count=len(each.turns))
        + catalogue.text("compared_skill", skill=points(each.skill, catalogue), luck=points(each.luck, catalogue))
        for each in (review, policy_review)
    )
    return catalogue.text("compared", policy=policy, own=player_text, its=policy_text)


def points(change: float, catalogue: Catalogue) -> str:
    """Returns a change of a probability in percentage points, with its sign; 0 has none."""
    number = catalogue.number(100 * abs(change), 1)
    return number if number == catalogue.number(0.0, 1) else f"{'+' if change > 0 else '-'}{number}"


def _in_points(risk: float, catalogue: Catalogue) -> str:
    return catalogue.text("points", points=catalogue.number(100 * risk, 1))


def _head(review: Review, catalogue: Catalogue) -> str:
    config, seed = review.session.config, review.session.seed
    result = catalogue.text(f"result_{review.session.status}", count=len(review.turns))
    mines = catalogue.text("mine_count", count=config.mines)
    return catalogue.text("review_head", rows=config.rows, cols=config.cols, mines=mines, seed=seed, result=result)


def _table(review: Review, catalogue: Catalogue) -> Table:
    """Returns the table of turns, in which safe turns that follow each other share a row."""
    groups = ((mark, list(group)) for mark, group in groupby(review.turns, key=lambda turn: turn.mark))
    runs = [run for mark, group in groups for run in ([group] if mark is Mark.SAFE else [[turn] for turn in group])]
    return table_of(catalogue.text("review_table_head"), [_row(run, catalogue) for run in runs], left=2)


def _row(run: Sequence[Turn], catalogue: Catalogue) -> list[str]:
    """Returns the cells of the table for turns in a row; skill and luck are their sums."""
    first, last, is_run = run[0], run[-1], len(run) > 1
    return [
        f"{first.number}-{last.number}" if is_run else str(first.number),
        catalogue.text("review_run", count=len(run)) if is_run else name_cell(first.move.cell, catalogue),
        catalogue.text(f"mark_{first.mark}"),
        catalogue.per_cent(first.risk, 1) if first.is_judged else "-",
        *(name_win(each.probability, each.kind in EXACT, catalogue) for each in (first.before, last.after)),
        points(sum(turn.skill for turn in run), catalogue),
        points(sum(turn.luck for turn in run), catalogue),
    ]
