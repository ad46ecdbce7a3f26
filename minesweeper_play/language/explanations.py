"""Hints in words, in either language, with columns and rows from 1 as a player types them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from minesweeper_play.language.catalogue import Catalogue

if TYPE_CHECKING:
    from minesweeper_env.inference import Step
    from minesweeper_play.game.advice import Advice
    from minesweeper_play.winning import Choice

MOST_CELLS = 6
"""The largest number of cells that a sentence names; it counts the others."""

ESTIMATED = "~"
"""The sign before a probability that is an estimate."""

Cell = tuple[int, int]


def explain_proof(steps: Sequence[Step], catalogue: Catalogue) -> list[str]:
    """Returns the sentences of a proof: first the step that proves the cell, then those that the step rests on."""
    return [explain_step(step, catalogue) for step in (*steps[-1:], *steps[:-1])]


def explain_step(step: Step, catalogue: Catalogue) -> str:
    """Returns one sentence: the cells that a step of `minesweeper_env.inference.hint` finds, and the reason.

    Args:
        step: the step.
        catalogue: the texts.
    """
    kinds = [("safe", step.safe), ("mine", step.mine)]
    findings = [
        catalogue.text(key, cells=name_cells(cells, catalogue), count=len(cells)) for key, cells in kinds if cells
    ]
    both = len(findings) > 1
    finding = catalogue.text("both_findings", safe=findings[0], mines=findings[1]) if both else findings[0]
    sentence = catalogue.text("finding", finding=finding, reason=_reason(step, catalogue))
    return sentence[:1].upper() + sentence[1:]


def explain_advice(advice: Advice, catalogue: Catalogue) -> list[str]:
    """Returns the sentences of a hint: the steps of its proof, or the risk of its cell.

    Args:
        advice: the hint.
        catalogue: the texts.
    """
    wrong = _wrong_flags(advice, catalogue)
    if advice.steps:
        *before, last = advice.steps
        shown = _with_first(last, advice.cell) if advice.is_named else last
        proof = explain_proof((*before, shown), catalogue)
        return [*wrong, *proof] if advice.cell in advice.wrong_flags else [*proof, *wrong]
    cell, risk = name_cell(advice.cell, catalogue), catalogue.per_cent(advice.risk, 1)
    if advice.is_safe:
        return [catalogue.text("cell_protected" if advice.is_named else "advice_protected", cell=cell)]
    if advice.is_named:
        return [catalogue.text("cell_risk", cell=cell, risk=risk), _better(advice, catalogue)]
    if not advice.choices:
        return [catalogue.text("advice_guess", cell=cell, risk=risk), *wrong]
    best, *others = [_named_choice(choice, advice.is_exact, catalogue) for choice in advice.choices]
    sentences = [catalogue.text("advice_best", **best)]
    if others:
        named = [catalogue.text("advice_next", **other) for other in others]
        sentences.append(catalogue.text("advice_rest", others=catalogue.listing(named)))
    return [*sentences, *wrong]


def name_cell(cell: Cell, catalogue: Catalogue) -> str:
    """Returns a cell as in "(3 7)": column and row, from 1."""
    return catalogue.text("cell", x=cell[1] + 1, y=cell[0] + 1)


def name_cells(cells: Sequence[Cell], catalogue: Catalogue) -> str:
    """Returns the names of cells as in "(1 2), (3 7) and 5 more"."""
    shown = len(cells) if len(cells) <= MOST_CELLS else MOST_CELLS - 1
    names = [name_cell(cell, catalogue) for cell in cells[:shown]]
    if shown < len(cells):
        names.append(catalogue.text("more_cells", count=len(cells) - shown))
    return catalogue.listing(names)


def _with_first(step: Step, cell: Cell) -> Step:
    """Returns a step that names a cell before the others that it finds, since long lists are cut."""
    safe, mine = (tuple(sorted(cells, key=lambda each: each != cell)) for cells in (step.safe, step.mine))
    return replace(step, safe=safe, mine=mine)


def _wrong_flags(advice: Advice, catalogue: Catalogue) -> list[str]:
    if not advice.wrong_flags:
        return []
    cells = name_cells(advice.wrong_flags, catalogue)
    return [catalogue.text("position_wrong_flags", cells=cells, count=len(advice.wrong_flags))]


def _named_choice(choice: Choice, is_exact: bool, catalogue: Catalogue) -> dict[str, str]:
    """Returns the cell of a guess, its risk, and how often it wins; `ESTIMATED` marks an estimate."""
    win = catalogue.per_cent(choice.win, 1)
    win = win if is_exact or not win[0].isdigit() else f"{ESTIMATED}{win}"
    return {"cell": name_cell(choice.cell, catalogue), "risk": catalogue.per_cent(choice.risk, 1), "win": win}


def _better(advice: Advice, catalogue: Catalogue) -> str:
    """Returns what there is to say about the best cell, next to one that the player has named."""
    better = advice.better
    if better is None:
        return catalogue.text("cell_is_least" if advice.win is None else "cell_is_best")
    if not better.choices or advice.win is None:
        cell, risk = name_cell(better.cell, catalogue), catalogue.per_cent(better.risk, 1)
        return catalogue.text("cell_safer" if better.is_safe else "cell_least", cell=cell, risk=risk)
    named = _named_choice(better.choices[0], advice.is_exact, catalogue)
    return catalogue.text("cell_better", **named, own=catalogue.per_cent(advice.win, 1))


def _reason(step: Step, catalogue: Catalogue) -> str:
    if not step.because:
        return catalogue.text("all_mines_known" if step.safe else "only_mines_left")
    count = len(step.because)
    clues = catalogue.text("clues", cells=name_cells(step.because, catalogue), count=count)
    if step.rule == "exact":
        return catalogue.text("exact_with_total" if step.uses_total else "exact", clues=clues)
    rule = "total" if step.uses_total else step.rule
    first, second = (name_cell(step.because[index], catalogue) for index in (0, -1))
    return catalogue.text(
        f"{rule}_{'safe' if step.safe else 'mine'}", clues=clues, first=first, second=second, count=count
    )
