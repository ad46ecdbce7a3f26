"""Sentences for a player: hints, ends of games and statistics, with columns and rows from 1 as a player types them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import FLAGGED, MINE
from minesweeper_env.config import board_name
from minesweeper_env.inference import PositionTooHardError, Step
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.game.advice import Advice, find_proof
from minesweeper_play.game.moves import Cell, neighbours
from minesweeper_play.game.records import BoardKind, Finish, GameRecord, Statistics, Summary
from minesweeper_play.game.session import Session

if TYPE_CHECKING:
    from rich.table import Table

    from baselines.scripted.oracle_play.position_value import Choice

MOST_CELLS = 6
"""The largest number of cells that a sentence names; it counts the others."""

MOST_GUESSES = 3
"""The largest number of guesses that a hint compares."""

ESTIMATED = "~"
"""The sign before a probability that is an estimate."""


def explain_proof(steps: Sequence[Step], board: NDArray[np.int8], catalogue: Catalogue) -> list[str]:
    """Returns the sentences of a proof on int8 codes (rows, cols): each step comes after those that it rests on."""
    return [explain_step(step, board, catalogue) for step in steps]


def explain_step(step: Step, board: NDArray[np.int8], catalogue: Catalogue) -> str:
    """Returns one sentence: the reason of a step of `minesweeper_env.inference.hint`, then the cells that it finds."""
    kinds = (("safe", step.safe), ("mine", step.mine))
    findings = [_finding(kind, cells, catalogue) for kind, cells in kinds if cells]
    if len(findings) > 1:
        findings = [catalogue.text("both_findings", safe=findings[0], mines=findings[1])]
    sentence = _sentence_of(step, findings[0], board, catalogue)
    return sentence[:1].upper() + sentence[1:]


def _finding(kind: str, cells: Sequence[Cell], catalogue: Catalogue) -> str:
    return catalogue.text(kind, cells=name_cells(cells, catalogue), count=len(cells))


def _sentence_of(step: Step, finding: str, board: NDArray[np.int8], catalogue: Catalogue) -> str:
    """Returns the sentence of a step on int8 codes (rows, cols); `finding` names in words the cells that it finds."""
    text, clues, kind = catalogue.text, step.because, "safe" if step.safe else "mine"
    if not clues:
        return text("all_mines_known" if step.safe else "only_mines_left", finding=finding)
    names = [text("clue", number=int(board[clue]), cell=name_cell(clue, catalogue)) for clue in clues]
    named = catalogue.listing(names) if len(clues) < 3 else text("clues", cells=name_cells(clues, catalogue))
    if step.rule == "count" and len(clues) == 2:
        first, second = clues
        common = {*neighbours(first, board.shape)} & {*neighbours(second, board.shape)}
        # The first clue settles the cells that both clues touch, and these complete the second clue.
        shared = sorted(cell for cell in common if FLAGGED <= board[cell] < MINE)
        between = _finding("mines_at" if step.safe else "safe", shared, catalogue)
        return text(f"counts_{kind}", first=names[0], between=between, second=names[1], finding=finding)
    key = f"{'total' if step.uses_total else step.rule}_{kind}"
    if step.rule == "exact":
        key = "exact_with_total" if step.uses_total else "exact"
    return text(key, clues=named, finding=finding, count=len(clues))


def explain_advice(advice: Advice, board: NDArray[np.int8], catalogue: Catalogue) -> list[str]:
    """Returns the sentences of a hint on int8 codes (rows, cols): the steps of its proof, or the risk of its cell.

    A last sentence explains estimates, if there are any.
    """
    sentences = _advice_sentences(advice, board, catalogue)
    for part in (advice, advice.better):
        if part is not None and part.has_flag:
            sentences.append(catalogue.text("advice_flag", cell=name_cell(part.cell, catalogue)))
    is_estimate = any(ESTIMATED in sentence for sentence in sentences)
    return [*sentences, catalogue.text("summary_estimates", sign=ESTIMATED)] if is_estimate else sentences


def _advice_sentences(advice: Advice, board: NDArray[np.int8], catalogue: Catalogue) -> list[str]:
    """Returns the sentences of `explain_advice` but those on the flag of a cell to open, and on estimates."""
    text, wrong_flags, flag_sentence = catalogue.text, advice.wrong_flags, []
    if wrong_flags:
        flag_sentence = [text("position_wrong_flags", cells=name_cells(wrong_flags, catalogue), count=len(wrong_flags))]
    if advice.steps:
        *earlier, last = advice.steps
        if advice.is_named:
            # Sentences name only the first cells of a long list, so the cell of the question comes first.
            safe, mine = (tuple(sorted(each, key=lambda cell: cell != advice.cell)) for each in (last.safe, last.mine))
            last = replace(last, safe=safe, mine=mine)
        proof = explain_proof((*earlier, last), board, catalogue)
        return [*flag_sentence, *proof] if advice.cell in wrong_flags else [*proof, *flag_sentence]
    cell, risk = name_cell(advice.cell, catalogue), catalogue.per_cent(advice.risk, 1)
    if advice.is_safe:
        return [text("cell_protected" if advice.is_named else "advice_protected", cell=cell)]
    if advice.survives:
        return [text("advice_survives", cell=cell), *flag_sentence]
    if advice.is_named:
        return [text("cell_risk", cell=cell, risk=risk), _better_sentence(advice, catalogue)]
    if not advice.choices:
        return [text("advice_guess", cell=cell, risk=risk), *flag_sentence]
    best, *others = [_choice_values(choice, advice.is_exact, catalogue) for choice in advice.choices[:MOST_GUESSES]]
    rest = catalogue.listing([text("advice_next", **other) for other in others])
    return [text("advice_best", **best), *([text("advice_rest", others=rest)] if others else []), *flag_sentence]


def name_cell(cell: Cell, catalogue: Catalogue) -> str:
    """Returns a cell as in "(3 7)": column and row, from 1."""
    return catalogue.text("cell", x=cell[1] + 1, y=cell[0] + 1)


def name_cells(cells: Sequence[Cell], catalogue: Catalogue) -> str:
    """Returns the names of cells as in "(1 2), (3 7) and 5 more"."""
    named_count = len(cells) if len(cells) <= MOST_CELLS else MOST_CELLS - 1
    names = [name_cell(cell, catalogue) for cell in cells[:named_count]]
    if named_count < len(cells):
        names.append(catalogue.text("more_cells", count=len(cells) - named_count))
    return catalogue.listing(names)


def _choice_values(choice: Choice, is_exact: bool, catalogue: Catalogue) -> dict[str, str]:
    win, risk = name_win(choice.win, is_exact, catalogue), catalogue.per_cent(choice.risk, 1)
    return {"cell": name_cell(choice.cell, catalogue), "risk": risk, "win": win}


def name_win(probability: float, is_exact: bool, catalogue: Catalogue) -> str:
    """Returns a probability of winning in per cent; `ESTIMATED` marks an estimate."""
    win = catalogue.per_cent(probability, 1)
    return win if is_exact or not win[0].isdigit() else f"{ESTIMATED}{win}"


def _better_sentence(advice: Advice, catalogue: Catalogue) -> str:
    """Returns the sentence that compares a cell that the player has named with the best cell."""
    better = advice.better
    if better is None:
        return catalogue.text("cell_is_least" if advice.win is None else "cell_is_best")
    if not better.choices or advice.win is None:
        cell, risk = name_cell(better.cell, catalogue), catalogue.per_cent(better.risk, 1)
        return catalogue.text("cell_safer" if better.is_safe else "cell_least", cell=cell, risk=risk)
    placeholders = _choice_values(better.choices[0], advice.is_exact, catalogue)
    return catalogue.text("cell_better", **placeholders, own=catalogue.per_cent(advice.win, 1))


def explain_ending(session: Session, statistics: Statistics | None, catalogue: Catalogue) -> list[str]:
    """Adds a finished game to the statistics; returns the lines on its figures, its luck and the best time.

    A practice game is not added; with `statistics` of None, no game is.
    """
    record, text, number = GameRecord.of(session), catalogue.text, catalogue.number
    finish = Finish() if statistics is None or session.practice else statistics.finish(record)
    figures = text(
        "ending",
        solved=record.solved,
        value=record.value,
        clicks=record.clicks,
        efficiency=catalogue.per_cent(record.efficiency),
        per_second=number(record.solved / record.seconds if record.seconds else 0.0, 2),
        time=number(record.seconds, 1),
    )
    key = "best_time_first" if finish.is_best else ""
    if finish.best_before is not None and session.status == "won":
        key = "best_time_new" if finish.is_best else "best_time_old"
    best = text(key, time=number(finish.best_before or 0.0, 1))
    lines = [figures, *_luck_lines(session, catalogue), text(finish.problem.key, **finish.problem.values), best]
    return [line for line in lines if line]


def _luck_lines(session: Session, catalogue: Catalogue) -> list[str]:
    """Returns the lines on the end of a game without luck: its forced guesses, and the proof that a loss has missed."""
    if session.config.luck:
        return []
    lines = [catalogue.text("guesses_survived", count=session.forced_guesses)]
    if session.status == "lost":
        with suppress(PositionTooHardError):
            board = session.board_before_loss
            proof = " ".join(explain_proof(find_proof(board, session.config.mines), board, catalogue))
            lines.append(catalogue.text("no_luck_lost", proof=proof) if proof else "")
    return lines


def statistics_table(summaries: Mapping[BoardKind, Summary], catalogue: Catalogue) -> Table:
    """Returns a table of statistics, a row for each kind of board."""
    rows = [
        [
            board_text(kind, catalogue),
            str(summary.played),
            str(summary.won),
            catalogue.per_cent(summary.won / summary.played),
            str(summary.streak),
            str(summary.longest_streak),
            "" if summary.best is None else catalogue.number(summary.best, 1),
            catalogue.number(summary.most_efficient, 2) if summary.most_efficient else "",
        ]
        for kind, summary in summaries.items()
    ]
    return table_of(catalogue.text("statistics_head"), rows, left=0)


def table_of(headings: str, rows: Sequence[Sequence[str]], left: int | None = None) -> Table:
    """Returns a table for rich with `headings` such as "a|b|c"; column `left` wraps, the others are aligned right."""
    # A lazy import: the line mode shows its first board without rich.
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="")
    for number, heading in enumerate(headings.split("|")):
        longest = max(len(row[number]) for row in rows)
        width = None if number == left else max(longest, *map(len, heading.split()))
        table.add_column(heading, justify="left" if number == left else "right", vertical="bottom", width=width)
    for row in rows:
        table.add_row(*row)
    return table


def table_lines(table: Table, width: int) -> list[str]:
    """Returns the lines of a table, at most `width` characters long."""
    from rich.console import Console

    text = io.StringIO()
    Console(file=text, width=width, color_system=None, markup=False, highlight=False).print(table)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def board_text(kind: BoardKind, catalogue: Catalogue) -> str:
    """Returns a kind of board in words, such as "9x9/10, safe first click"."""
    parts = [board_name(kind.rows, kind.cols, kind.mines), catalogue.text(f"first_click_{kind.first_click}")]
    if kind.no_guess:
        parts.append(catalogue.text("without_guess", level=catalogue.text(f"no_guess_{kind.no_guess}")))
    if not kind.luck:
        parts.append(catalogue.text("figure_no_luck"))
    return ", ".join(parts)
