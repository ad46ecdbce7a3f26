"""Deduction step by step: the certain cells, each with the clues that force it.

The section "Deduction" of docs/studies/inference.md explains it.

Steps are of four kinds, from easy to hard:

- "count": a clue has all its mines, or as many mines left as unknown neighbours; or the whole board has.
- "subset": the difference of two constraints, where one lies within the other, repeated. The last resort of this level
  is a set of constraints without a common cell that together have all mines left, or all free cells.
- "overlap": two constraints that share cells, where one has k mines more and k cells that the other lacks. These cells
  are mines, and the cells that only the other has are safe (the "1-2 pattern").
- "exact": all layouts that fit some clues agree on a cell, and none of these clues could be left out.

Only "exact" finds everything. Each step is the easiest one after the steps before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from numpy.typing import ArrayLike

from minesweeper_env.cell_sets import to_bits
from minesweeper_env.config import one_of
from minesweeper_env.inference.boards import PositionTooHardError, check_boards
from minesweeper_env.inference.deduction.board_state import BoardState, Cell, easiest_reason, forced
from minesweeper_env.inference.deduction.constraints import BY_DIFFERENCE, BY_OVERLAP, NOTHING, TOO_HARD, view_closure
from minesweeper_env.inference.deduction.kernels import deducers
from minesweeper_env.inference.deduction.packings import view_packing

Rule = Literal["count", "subset", "overlap", "exact"]

RULES: tuple[Rule, ...] = ("count", "subset", "overlap", "exact")
"""The kinds of steps, from easy to hard."""

Level = Literal["count", "subset", "exact"]

LEVELS: tuple[Level, ...] = ("count", "subset", "exact")
"""The levels of deduction. A level has its kind of steps and all easier ones; "subset" has "overlap" too."""


@dataclass(frozen=True)
class Step:
    """Cells that become certain at once.

    Attributes:
        rule: the kind of the step, one of `RULES`.
        safe: the cells (row, col) that are free, in reading order.
        mine: the cells (row, col) that are mines, in reading order.
        because: the open cells whose counts force the step, given the steps before. In a "count" step with two clues,
            the cells that the first one decides complete the second one.
        uses_total: whether the step needs the number of mines on the whole board, too.
    """

    rule: Rule
    safe: tuple[Cell, ...]
    mine: tuple[Cell, ...]
    because: tuple[Cell, ...]
    uses_total: bool = False

    def explain(self) -> str:
        """Returns one English sentence: the reason, and the cells that the step finds."""
        findings = []
        if self.safe:
            findings.append(f"{_cells_text(self.safe)} {'are' if len(self.safe) > 1 else 'is'} safe")
        if self.mine:
            findings.append(f"{_cells_text(self.mine)} {'are mines' if len(self.mine) > 1 else 'is a mine'}")
        reason = self._reason()
        return f"{reason[0].upper()}{reason[1:]}{':' if self.rule == 'exact' else ', so'} {' and '.join(findings)}."

    def _reason(self) -> str:
        """Returns the first clause of `explain`, in lower case."""
        if not self.because:
            return "all mines are known" if self.safe else "there are as many mines left as cells"
        clues = f"the clue{'s' if len(self.because) > 1 else ''} at {_cells_text(self.because)}"
        if self.rule == "exact":
            return f"all layouts that fit {'the number of mines and ' if self.uses_total else ''}{clues} agree"
        if self.uses_total:
            verb = "account" if len(self.because) > 1 else "accounts"
            return f"{clues} {verb} for all {'mines' if self.safe else 'free cells'} left on the board"
        if self.rule == "overlap":
            if self.safe:
                return f"{clues} overlap, and the cells that they share hold all mines of one of them"
            return f"{clues} overlap, and the cells that they share cannot hold all mines of one of them"
        if self.rule == "subset":
            shared = (
                "share all their remaining mines" if self.safe else "need a mine in each cell that they do not share"
            )
            return f"{clues} {shared}"
        has_all, needs_all = "has all its mines", "needs all its remaining neighbours"
        reason, opposite = (has_all, needs_all) if self.safe else (needs_all, has_all)
        if len(self.because) == 2:
            return f"the clue at {self.because[0]} {opposite}, the clue at {self.because[1]} then {reason}"
        return f"{clues} {reason}"


def deduce(board: ArrayLike, mines: int, *, radius: int = 1, level: Level = "exact") -> list[Step]:
    """Returns the steps from a visible board to all cells that a level of deduction finds.

    The level is the hardest kind of step to take; "exact" finds every certain cell. The other arguments and the errors
    are those of `mine_probabilities`.
    """
    return list(_steps(BoardState(*check_boards(board, 2, mines, radius)), levels_up_to(level)))


def levels_up_to(level: str) -> Sequence[Level]:
    """Returns a level and the easier ones; raises a ValueError if there is no such level."""
    return LEVELS[: LEVELS.index(one_of("level", level, LEVELS)) + 1]


class _Finding(NamedTuple):
    """A step whose sets of cells are bits."""

    rule: Rule
    cells: int  # the cells that become certain
    because: int  # the clues
    uses_total: bool = False

    def step(self, state: BoardState) -> Step:
        """Returns the finding as a `Step`, before its cells are recorded in the state."""
        safe, mine, because = map(state.cells_of, (self.cells & state.safe, self.cells & ~state.safe, self.because))
        return Step(self.rule, safe, mine, because, self.uses_total)


def _steps(state: BoardState, levels: Sequence[Level]) -> Iterator[Step]:
    """Yields steps, each of the easiest kind that finds something, and records their cells in the state."""
    find = {"count": _by_count, "subset": _by_subset, "exact": _by_exact}
    while state.findable:
        finding = next(filter(None, (find[level](state) for level in levels)), None)
        if finding is None:
            return
        yield finding.step(state)
        state.record(finding.cells)


def _by_count(state: BoardState) -> _Finding | None:
    """Looks for a single clue that makes cells certain, safe ones if possible; else uses the total if it does."""
    # A step that finds safe cells lets the player open something, so it comes before one that finds mines.
    constraints = state.constraints.values()
    without_mine = (constraint for constraint in constraints if constraint.mines == 0)
    certain = next(without_mine, None) or next((constraint for constraint in constraints if constraint.free == 0), None)
    if certain:
        return _Finding("count", certain.cells, certain.because)
    total = state.total
    return _Finding("count", total.cells, 0, uses_total=True) if total.mines == 0 or total.free == 0 else None


def _by_subset(state: BoardState) -> _Finding | None:
    """Looks for the easiest step from several clues, or from clues and the number of mines on the board."""
    with deducers(*state.shape, state.radius).lend() as deducer:
        result, constraint = state.look_further(deducer)
        if result == TOO_HARD:
            raise PositionTooHardError("the clues of this board make more constraints than can be tried")
        if result == NOTHING:
            return None
        closure = view_closure(deducer.memory)
        # The last entry stands for a cell off the board.
        because = to_bits(closure.in_reason[:-1] == 1)
        if result < BY_DIFFERENCE:  # A packing leaves cells over.
            rest = state.unknown & ~to_bits(view_packing(deducer.memory).taken[:-1] == 1)
            return _Finding("subset", rest, because, uses_total=True)
        begin, end = closure.start[constraint : constraint + 2]
        cells = sum(1 << cell for cell in closure.cell[begin:end].tolist())
    return _Finding("overlap" if result == BY_OVERLAP else "subset", cells, because)


def _by_exact(state: BoardState) -> _Finding:
    """Looks for the fewest clues that make a cell certain, and finds all cells that they make certain."""
    reason = easiest_reason(state, state.findable)
    safe, mine = forced(state, reason)
    return _Finding("exact", safe | mine, sum(1 << clue for clue in reason.clues), reason.uses_total)


def _cells_text(cells: Sequence[Cell]) -> str:
    """Returns the cells as in "(0, 1), (0, 2) and (1, 2)"."""
    names = [str(cell) for cell in cells]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
