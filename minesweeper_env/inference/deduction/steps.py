"""What can be deduced from a board, step by step, each step with the counts that force it.

Steps are of three kinds, from easy to hard:

- "count": a count has all its mines, or has as many left as there are unknown cells beside it; the same for the
  number of mines on the whole board.
- "subset": the difference of two counts of which one is about some of the cells of the other, and differences of such
  differences; and last, groups of cells without a common one that account for all mines left, or for all free cells.
- "exact": all layouts that fit some counts agree on a cell. None of these counts could be left out.

Only the last kind finds everything. Each step is the easiest that there is after the ones before it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from numpy.typing import ArrayLike

from minesweeper_env.inference.boards import check_boards, check_radius
from minesweeper_env.inference.deduction.board_state import Cell, Knowledge
from minesweeper_env.inference.deduction.reasons import easiest_reason, forced
from minesweeper_env.inference.deduction.sentences import Sentence, close, heaviest_packing

Rule = Literal["count", "subset", "exact"]

LEVELS: tuple[Rule, ...] = ("count", "subset", "exact")
"""The kinds of steps, from easy to hard."""


@dataclass(frozen=True)
class Step:
    """Some cells become certain.

    Attributes:
        rule: the kind of the step.
        safe: the cells (row, col) that are free, in reading order.
        mine: the cells that are mines.
        because: the open cells whose counts force that, given what the steps before have found.
        uses_total: whether it takes the number of mines on the whole board as well.
    """

    rule: Rule
    safe: tuple[Cell, ...]
    mine: tuple[Cell, ...]
    because: tuple[Cell, ...]
    uses_total: bool = False

    def explain(self) -> str:
        """Returns a sentence that says what the step finds, and why."""
        found = []
        if self.safe:
            found.append(f"{_listed(self.safe)} {'are' if len(self.safe) > 1 else 'is'} safe")
        if self.mine:
            found.append(f"{_listed(self.mine)} {'are mines' if len(self.mine) > 1 else 'is a mine'}")
        return f"{' and '.join(found)}: {self._reason()}."

    def _reason(self) -> str:
        if not self.because:
            return "all mines are known" if self.safe else "there are as many mines left as cells"
        counts = f"the count{'s' if len(self.because) > 1 else ''} at {_listed(self.because)}"
        if self.rule == "exact":
            return f"so it is in every layout that fits {counts}{' and the number of mines' if self.uses_total else ''}"
        if self.uses_total:
            verb = "account" if len(self.because) > 1 else "accounts"
            return f"{counts} {verb} for all {'mines' if self.safe else 'free cells'} left on the board"
        if self.rule == "subset":
            return f"{counts}, taken from one another, leave {'no mine' if self.safe else 'only mines'} there"
        return f"{counts} {'has all its mines' if self.safe else 'needs all cells left beside it'}"


def deduce(board: ArrayLike, mines: int, *, radius: int = 1, level: Rule = "exact") -> list[Step]:
    """Returns all steps from what a board shows to all that a level of deduction finds.

    Args:
        board: (rows, cols) cell codes of any integer type. Flags and question marks are no evidence.
        mines: the number of mines on the whole board.
        radius: the reach of a count, 1 to 5.
        level: the hardest kind of step to take; "exact" finds all cells that are certain.

    Raises:
        InconsistentBoardError: no layout fits the board.
        PositionTooHardError: an exact answer would take too much time or memory.
        ValueError: an argument is not allowed; the message says what is.
    """
    return list(_steps(_read(board, mines, radius), _levels_up_to(level)))


def hint(board: ArrayLike, mines: int, *, radius: int = 1, level: Rule = "exact") -> list[Step]:
    """Returns the steps that lead a player to a safe cell, with the easiest kinds of steps that do.

    The last step is the only one that finds safe cells. The ones before it find mines that it rests on, since the
    player need not have found these, and flags are no evidence.

    Args:
        board: as in `deduce`.
        mines: the number of mines on the whole board.
        radius: the reach of a count, 1 to 5.
        level: the hardest kind of step to take.

    Returns:
        The steps, or none if this level finds no safe cell.

    Raises:
        ValueError: as in `deduce`.
    """
    knowledge = _read(board, mines, radius)
    steps: list[Step] = []
    for step in _steps(knowledge, _levels_up_to(level)):
        steps.append(step)
        if step.safe:
            return _needed(steps, knowledge)
    return []


def _read(board: ArrayLike, mines: int, radius: int) -> Knowledge:
    return Knowledge(check_boards(board, 2, mines, check_radius(radius)), int(mines), radius)


def _levels_up_to(level: str) -> Sequence[Rule]:
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    return LEVELS[: LEVELS.index(level) + 1]


class _Finding(NamedTuple):
    """A step with its cells as bits, and with the numbers of its open cells."""

    rule: Rule
    safe: int
    mine: int
    because: Collection[int]
    uses_total: bool = False


def _steps(knowledge: Knowledge, levels: Sequence[Rule]) -> Iterator[Step]:
    """Yields the steps, each of the easiest kind that finds something, and takes down what they find."""
    search = {"count": _by_count, "subset": _by_subset, "exact": _by_exact}
    while knowledge.findable:
        found = next(filter(None, (search[level](knowledge) for level in levels)), None)
        if found is None:
            return
        knowledge.learn(found.safe, found.mine)
        safe, mine = knowledge.cells_of(found.safe), knowledge.cells_of(found.mine)
        yield Step(found.rule, safe, mine, knowledge.cells(found.because), found.uses_total)


def _from_sentence(rule: Rule, sentence: Sentence, uses_total: bool = False) -> _Finding:
    """Returns what is found by a sentence that is certain."""
    safe, mine = (0, sentence.cells) if sentence.mines else (sentence.cells, 0)
    return _Finding(rule, safe, mine, sentence.because, uses_total)


def _by_count(knowledge: Knowledge) -> _Finding | None:
    """Looks for a single count that makes cells certain, safe ones if possible."""
    without_mine = (sentence for sentence in knowledge.sentences.values() if sentence.mines == 0)
    all_mines = (sentence for sentence in knowledge.sentences.values() if sentence.free == 0)
    certain = next(without_mine, None) or next(all_mines, None)
    if certain:
        return _from_sentence("count", certain)
    return _from_sentence("count", knowledge.total, uses_total=True) if knowledge.total.certain else None


def _by_subset(knowledge: Knowledge) -> _Finding | None:
    """Looks for a certain sentence in the closure of the counts, and else for a packing that accounts for the total."""
    certain, closure = close(knowledge.sentences.values())
    if certain:
        return _from_sentence("subset", certain)
    unknown, order = knowledge.unknown, knowledge.across()
    packing = heaviest_packing(closure, lambda sentence: sentence.mines, order, knowledge.total.mines)
    if packing and packing.cells != unknown:
        return _Finding("subset", unknown ^ packing.cells, 0, packing.because, uses_total=True)
    packing = heaviest_packing(closure, lambda sentence: sentence.free, order, knowledge.total.free)
    if packing and packing.cells != unknown:
        return _Finding("subset", 0, unknown ^ packing.cells, packing.because, uses_total=True)
    return None


def _by_exact(knowledge: Knowledge) -> _Finding | None:
    """Looks for the fewest counts that make any cell certain, and for all that they make certain."""
    reason = easiest_reason(knowledge)
    return _Finding("exact", *forced(knowledge, reason), *reason)


def _needed(steps: Sequence[Step], knowledge: Knowledge) -> list[Step]:
    """Returns the last step, and those before it on which it rests; these have found mines alone."""
    chain = [steps[-1]]
    needed = _about(chain[0], knowledge)
    for step in reversed(steps[:-1]):
        if not needed.isdisjoint(step.mine):
            chain.append(step)
            needed |= _about(step, knowledge)
    return chain[::-1]


def _about(step: Step, knowledge: Knowledge) -> set[Cell]:
    """Returns the cells that a step is about: those beside its counts, or all."""
    if step.uses_total:
        return set(knowledge.cells(range(knowledge.size)))
    cells = 0
    for row, col in step.because:
        cells |= knowledge.beside(row * knowledge.shape[1] + col)
    return set(knowledge.cells_of(cells))


def _listed(cells: Sequence[Cell]) -> str:
    """Returns the cells as in "(0, 1), (0, 2) and (1, 2)"."""
    names = [str(cell) for cell in cells]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
