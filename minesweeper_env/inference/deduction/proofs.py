"""Shortest proofs of certain cells, for `hint`.

Two rules make cells certain. A rule rests on a fixed set of certain cells, so it is a Horn clause, "if these cells are
known, then those are", and forward chaining derives all that follows (Dowling & Gallier 1984):

- "count", one clue: all its mines are known, so its other cells are safe; or all its safe cells are known. If this
  completes a clue next to it, both clues can form one step.
- "overlap", two clues that share cells: if one has k mines more than the other, and k cells that the other lacks, then
  these k cells are mines, and the cells that only the other has are safe. It is called "subset" where one of the two
  lies within the other. Cells that are known already can lower the k that is needed.

If these rules find no cell that is asked for, one "exact" step does: the fewest clues that force the cell in all
layouts. Iterative deepening (Korf 1985) finds the proof with the fewest steps; ties go to the easier rules, then to
fewer cells.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from minesweeper_env.cell_sets import bits, to_array, to_bits
from minesweeper_env.codes import Codes
from minesweeper_env.inference.boards import check_boards, check_cell
from minesweeper_env.inference.deduction.board_state import BoardState, Reason, easiest_reason, forced
from minesweeper_env.inference.deduction.steps import Level, Rule, Step, levels_up_to

MAX_NODES = 40_000
"""The number of sets of steps after which the search settles for a proof that may not be the shortest."""

MAX_STEPS = 40
"""The most steps of a proof that is searched for; a proof with more may not be the shortest."""


def hint(
    board: ArrayLike, mines: int, *, radius: int = 1, level: Level = "exact", cell: Sequence[int] | None = None
) -> list[Step]:
    """Returns a shortest proof of a safe cell, or of a given cell.

    The last step proves the cell, and the earlier ones find what that step rests on. A step rests on one clue or two.
    The proof has the fewest steps, then the easiest rules, then the fewest cells. Flags are no evidence, but a cell
    with a flag is proved only if no other cell is safe. Guesses have no proof, and this function does not rank them:
    `mine_probabilities` shows the least risk, and the hints of `play.py` rank by the probability of winning.

    Args:
        board: (rows, cols) cell codes, as for `mine_probabilities`, which raises the same errors.
        mines: the number of mines on the whole board.
        radius: neighbourhood radius, 1 to 5.
        level: "count" uses one clue a step, "subset" pairs too, and "exact" a search where these find nothing.
        cell: (row, col) of a covered cell, to prove that it is safe or that it is a mine; None for the safe cell whose
            proof is the shortest.

    Returns:
        The steps; an empty list if this level finds no safe cell, or does not find the given cell. The last step lists
        either its safe cells or its mines: the kind that was asked for.
    """
    state, hardest = BoardState(*check_boards(board, 2, mines, radius)), len(levels_up_to(level))
    goals = _goals(state, cell)
    if not goals:
        return []
    # Cells with a flag are goals only if no other is left.
    goals = goals & ~to_bits(np.asarray(board) == Codes.of_radius(radius).flagged) or goals
    search = _Search(_inferences(state, with_pairs=hardest > 1), goals)
    if search.is_possible:
        return _proof_steps(search.best(), goals, state)
    return [_exact_step(state, goals)] if level == "exact" else []


def _goals(state: BoardState, cell: Sequence[int] | None) -> int:
    """Returns the certain cells that a proof may end with, as bits; raises a ValueError if `cell` is not covered."""
    if cell is None:
        return state.safe
    row, col = check_cell(cell, to_array(state.unknown, state.shape))
    return state.findable & 1 << row * state.shape[1] + col


class _Inference(NamedTuple):
    """A possible step of a proof; sets of cells are bits."""

    rule: Rule
    clues: tuple[int, ...]  # the bits of its clues; in a "count" step of two, the clue that is completed comes last
    needs: int  # the certain cells that the step rests on
    finds: int  # the cells that follow
    uses_total: bool = False  # whether the step uses the number of mines on the board

    @property
    def effort(self) -> int:
        """How hard the step is to follow: 0 for one clue, 1 for one after the other, 2 for a pair, 3 with the total."""
        return 3 if self.uses_total else 2 if self.rule in ("subset", "overlap") else len(self.clues) - 1


def _inferences(state: BoardState, with_pairs: bool) -> list[_Inference]:
    """Returns the inferences from single clues, and from pairs and the total; of equal ones, the easiest."""
    easiest: dict[tuple[int, int], _Inference] = {}
    pairs = chain(_from_pairs(state), _from_total(state)) if with_pairs else ()
    for inference in sorted(chain(_from_clues(state), pairs), key=lambda inference: inference.effort):
        if inference.finds:
            easiest.setdefault((inference.needs, inference.finds), inference)
    return list(easiest.values())


def _from_clues(state: BoardState) -> Iterator[_Inference]:
    """Yields the inferences from single clues; some find no cell."""
    safe, mine = state.safe, state.findable & ~state.safe
    # All certain cells count as known here; `needs` says which of them a proof must find before.
    for cells, mines, bit in state.constraints.values():
        if (cells & mine).bit_count() == mines:
            yield _Inference("count", (bit,), cells & mine, cells & ~mine)
        if (cells & ~safe).bit_count() == mines:
            yield _Inference("count", (bit,), cells & safe, cells & ~safe)


def _from_pairs(state: BoardState) -> Iterator[_Inference]:
    """Yields the inferences from two clues that share cells; some find no cell."""
    safe, mine = state.safe, state.findable & ~state.safe
    for clue, (cells, mines, bit) in state.constraints.items():
        for other in state.clues_near([clue]) - {clue}:
            other_cells, other_mines, other_bit = state.constraints[other]
            # The counts differ by the mines in own cells minus the mines in foreign ones. Own cells that are safe, and
            # foreign ones that are mines, lower the largest possible difference. If it is reached, all cells of the two
            # outside the shared ones are decided. {a, b, c}: 2 mines and {b, c, d}: 1 mine differ by 1, the number of
            # own cells: a is a mine, and d is safe. {a, b, c} and {b, c, d}: 1 mine each make d safe if a is safe.
            own, foreign = cells & ~other_cells, other_cells & ~cells
            needs = own & safe | foreign & mine
            if mines - other_mines != own.bit_count() - needs.bit_count():
                continue
            rule: Rule = "overlap" if own & ~needs and foreign & ~needs else "subset"
            yield _Inference(rule, (min(bit, other_bit), max(bit, other_bit)), needs, (own | foreign) & ~needs)
            # One clue after the other is easier to follow than both at once. Here the first needs all its cells:
            # {a, b}: 2 mines, so {b, c}: 1 mine has its mine in b, and c is safe.
            if (cells & ~safe).bit_count() == mines and not cells & other_cells & safe:
                yield _Inference("count", (bit, other_bit), needs, foreign & ~needs)
            # Here the other has all its mines: {b, c}: 1 mine has it in c, so {a, b}: 1 mine has its mine in a.
            if (other_cells & mine).bit_count() == other_mines and not cells & other_cells & mine:
                yield _Inference("count", (other_bit, bit), needs, own & ~needs)


def _from_total(state: BoardState) -> Iterator[_Inference]:
    """Yields the inferences from the number of mines on the board, alone or with one clue."""
    # A clue can have all mines left, or all free cells, among its neighbours; then every other cell is decided.
    if state.mines_left == 0 or state.total.free == 0:
        yield _Inference("count", (), 0, state.unknown, uses_total=True)
    for cells, mines, bit in state.constraints.values():
        if mines == state.mines_left or cells.bit_count() - mines == state.total.free:
            yield _Inference("subset", (bit,), 0, state.unknown & ~cells, uses_total=True)


class _Search:
    """Search for the smallest set of inferences that derives one of the goals."""

    def __init__(self, inferences: Sequence[_Inference], goals: int) -> None:
        """Lists the possible inferences, each with its rank: the round of forward chaining in which it fires."""
        self._goals = goals
        # Pairs of a rank and an inference; the search names an inference by its index in this list.
        self._ranked: list[tuple[int, _Inference]] = []
        # What is known after a round lets more inferences fire in the next one.
        known, waiting = 0, list(inferences)
        for rank in count(1):
            fired = [inference for inference in waiting if not inference.needs & ~known]
            if not fired:
                break
            waiting = [inference for inference in waiting if inference.needs & ~known]
            self._ranked += [(rank, inference) for inference in fired]
            known |= _found_by(fired)
        self.is_possible = bool(known & goals)
        # The bit of a cell: the indices of the inferences that find it, those of the least rank first.
        self._deriving: dict[int, list[int]] = {bit: [] for bit in bits(known)}
        for index, (_, inference) in enumerate(self._ranked):
            for bit in bits(inference.finds):
                self._deriving[bit].append(index)
        self._nodes = 0

    def best(self) -> list[_Inference]:
        """Returns the inferences of a shortest proof, in order."""
        final = [index for index, (_, inference) in enumerate(self._ranked) if inference.finds & self._goals]
        # Iterative deepening begins at the least rank: an inference of rank r takes at least r steps, itself included.
        for limit in range(self._ranked[final[0]][0], MAX_STEPS + 1):
            self._proofs: list[tuple[tuple[int, ...], list[_Inference]]] = []
            self._seen: set[frozenset[int]] = set()
            for index in final:
                self._extend({index: 1}, limit)
            if self._proofs:
                return min(self._proofs, key=lambda rated_proof: rated_proof[0])[1]
            if self._nodes > MAX_NODES:
                break
        return self._any_proof(final[0])

    def _extend(self, chosen: dict[int, int], limit: int) -> None:
        """Adds inferences to a set until it derives all cells that it needs, and keeps each such proof.

        `chosen` maps the index of an inference to its depth: the steps from it to the goal, both ends included.
        """
        indices = frozenset(chosen)
        if indices in self._seen or self._nodes > MAX_NODES:
            return
        self._seen.add(indices)
        self._nodes += 1
        # At least `rank` steps lead to an inference, itself included, and depth - 1 more lead from it to the goal.
        if any(depth - 1 + self._ranked[index][0] > limit for index, depth in chosen.items()):
            return
        missing = self._missing_cells(chosen)
        if not missing:
            self._keep_proof([self._ranked[index][1] for index in chosen])
            return
        if len(chosen) + self._min_inferences(missing) > limit:
            return
        for index in self._candidates(chosen, missing):
            finds = self._ranked[index][1].finds
            user_depth = max(depth for user, depth in chosen.items() if self._ranked[user][1].needs & finds)
            self._extend({**chosen, index: user_depth + 1}, limit)

    def _missing_cells(self, chosen: dict[int, int]) -> int:
        """Returns the cells that chosen inferences need, and that they do not derive in any order.

        For "x if y" and "y if x" these are x and y: each has a derivation, and neither can be the first. With "y" as a
        third inference nothing is missing.
        """
        needs, known, waiting = 0, 0, [self._ranked[index][1] for index in chosen]
        for inference in waiting:
            needs |= inference.needs
        while fired := [inference for inference in waiting if not inference.needs & ~known]:
            known |= _found_by(fired)
            waiting = [inference for inference in waiting if inference not in fired]
        return needs & ~known

    def _min_inferences(self, missing: int) -> int:
        """Returns a lower bound on the number of inferences that derive the missing cells."""
        # Cells of which no two have a common derivation need an inference each; a greedy choice of cells is a bound.
        derivations: set[int] = set()
        number = 0
        for bit in bits(missing):
            if derivations.isdisjoint(self._deriving[bit]):
                derivations.update(self._deriving[bit])
                number += 1
        return number

    def _candidates(self, chosen: dict[int, int], missing: int) -> list[int]:
        """Returns the indices of inferences such that each proof that includes the chosen ones has one of these too.

        If x has one derivation and y has three, every proof has the one of x, so the search has a single branch.
        """
        underived = missing & ~_found_by(self._ranked[index][1] for index in chosen)
        if underived:
            return min((self._deriving[bit] for bit in bits(underived)), key=len)
        # The chosen ones form a circle, as "x if y" and "y if x" do: a proof derives one of its cells in another way.
        return sorted({index for bit in bits(missing) for index in self._deriving[bit]} - set(chosen))

    def _keep_proof(self, proof: list[_Inference]) -> None:
        """Keeps a proof with its rating, the lower the better: effort, cells to look at, minus the goals found."""
        effort = sum(inference.effort for inference in proof)
        cells = goals = 0
        for inference in proof:
            cells |= sum(inference.clues) | inference.needs
            goals |= inference.finds & self._goals
        self._proofs.append(((effort, cells.bit_count(), -goals.bit_count()), _in_order(proof)))

    def _any_proof(self, final: int) -> list[_Inference]:
        """Returns a proof that ends with inference `final`; no step can be left out, but a shorter proof may exist."""
        chosen = {final: 1}
        while missing := self._missing_cells(chosen):
            # The first derivation of a cell has the least rank, so the chosen ones form no circle.
            underived = missing & ~_found_by(self._ranked[index][1] for index in chosen)
            chosen[self._deriving[underived & -underived][0]] = 1
        for index in list(chosen)[1:]:
            fewer = {other: 1 for other in chosen if other != index}
            if not self._missing_cells(fewer):
                chosen = fewer
        return _in_order([self._ranked[index][1] for index in chosen])


def _found_by(inferences: Sequence[_Inference] | Iterator[_Inference]) -> int:
    """Returns the cells that these inferences find, as bits."""
    found = 0
    for inference in inferences:
        found |= inference.finds
    return found


def _in_order(proof: Sequence[_Inference]) -> list[_Inference]:
    """Returns the inferences of a proof so that each rests only on earlier ones; the one that finds a goal is last."""
    # Each round appends what rests on the rounds before. All other inferences are needed by a later one.
    ordered: list[_Inference] = []
    while len(ordered) < len(proof):
        known = _found_by(ordered)
        ordered += [step for step in proof if step not in ordered and not step.needs & ~known]
    return ordered


def _proof_steps(proof: Sequence[_Inference], goals: int, state: BoardState) -> list[Step]:
    """Returns a proof as steps; each but the last one lists only the cells that later ones need."""
    steps = []
    known = 0
    for num_done, inference in enumerate(proof, 1):
        wanted = 0
        for later in proof[num_done:]:
            wanted |= later.needs
        # The last step lists cells of one kind, safe ones or mines: the kind of the goal.
        if num_done == len(proof):
            wanted = state.safe if inference.finds & goals & state.safe else ~state.safe
        cells = inference.finds & wanted & ~known
        known |= inference.finds
        steps.append(_step(inference.rule, cells, inference.clues, state, inference.uses_total))
    return steps


def _exact_step(state: BoardState, goals: int) -> Step:
    """Returns the step of the fewest clues that force one of the goals in all layouts."""
    reason = easiest_reason(state, goals)
    safe, mine = forced(state, reason)
    clues = tuple(1 << clue for clue in sorted(reason.clues))
    rest = state.unknown & ~_cells_with_all(state, reason)
    if rest & goals:
        return _step("subset" if clues else "count", rest, clues, state, uses_total=True)
    return _step("exact", safe if safe & goals else mine, clues, state, reason.uses_total)


def _cells_with_all(state: BoardState, reason: Reason) -> int:
    """Returns the cells of a reason's clues if these have all mines left or all free cells, else all unknown cells."""
    constraints = [state.constraints[clue] for clue in reason.clues]
    cells = mines = 0
    for constraint in constraints:
        # Clues with a common cell count it twice, so their sum says nothing: one too large for any total replaces it.
        mines += state.unknown.bit_count() + 1 if constraint.cells & cells else constraint.mines
        cells |= constraint.cells
    has_all = mines == state.mines_left or cells.bit_count() - mines == state.total.free
    return cells if reason.uses_total and has_all else state.unknown


def _step(rule: Rule, found: int, clues: Sequence[int], state: BoardState, uses_total: bool = False) -> Step:
    """Returns the step that finds these cells, as bits, from the clues with these bits."""
    because = tuple(cell for bit in clues for cell in state.cells_of(bit))
    return Step(rule, state.cells_of(found & state.safe), state.cells_of(found & ~state.safe), because, uses_total)
