"""The exact mine probabilities of a visible board, on one page of plain Python.

`python examples/oracle_on_one_page.py` prints them for one board. `minesweeper_env.inference` computes them with
compiled kernels; docs/studies/inference.md has the formulas.

All layouts of M mines that fit the clues are equally likely. The probability of a mine in a cell is therefore

    layouts with a mine in the cell  /  layouts

Both are counted without a list of the layouts, which are too many. The method is a dynamic programme in five steps:

1. A clue is a constraint: k mines among its covered neighbours. The last constraint is the total: M in all such cells.
2. Cells under the same constraints form a group. Of a group of s cells, C(s, k) fillings have k mines.
3. The groups are put in order, so that groups under the same constraints follow one another.
4. Forward: group after group gets its mines. A state is what each constraint still lacks; count the ways to reach it.
5. Backward: count the ways to complete each state. Ways to reach it times ways to complete it are layouts.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb

Cell = tuple[int, int]
Constraint = tuple[set[Cell], int]  # cells, and the number of mines in them
Group = tuple[frozenset[int], list[Cell]]  # the numbers of the constraints over some cells, and the cells
State = tuple[int, ...]  # for each constraint, the mines that it still lacks
Counts = dict[State, int]  # the number of ways to reach a state, or to complete it
Link = tuple[State, int, State]  # a state before a group, the mines of the group, and the state after it

MAX_CLUE, SHOWN_MINE = 8, 12  # codes: 0 to 8 are clues, 9 to 11 covered cells, and 12 is a mine of a lost game


def mine_probabilities(board: Sequence[Sequence[int]], mines: int) -> list[list[Fraction]]:
    """Returns the probability of a mine in each cell of a board of codes; raises a ValueError if no layout fits."""
    constraints = read_constraints(board, mines)
    groups = order_groups(merge_cells(constraints), total=len(constraints) - 1)
    levels, links = count_forward(constraints, groups)
    # A layout fits if no constraint lacks anything in the end.
    completions: Counts = {state: 1 for state in levels[-1] if not any(state)}
    layouts = sum(levels[-1][state] for state in completions)
    if layouts == 0:
        raise ValueError("no layout of mines fits this board")
    risks: dict[Cell, Fraction] = {}
    backward = zip(reversed(groups), reversed(levels[:-1]), reversed(links), strict=True)
    for (_, cells), level_before, links_of_group in backward:
        completions, mines_of_group = count_backward(level_before, links_of_group, len(cells), completions)
        # Over all layouts, the mines of a group fall on each of its cells equally often.
        risks |= dict.fromkeys(cells, Fraction(mines_of_group, len(cells) * layouts))
    return [
        [risks.get((row, col), Fraction(int(code == SHOWN_MINE))) for col, code in enumerate(line)]
        for row, line in enumerate(board)
    ]


def read_constraints(board: Sequence[Sequence[int]], mines: int) -> list[Constraint]:
    """Step 1. Returns a constraint for each clue that lacks something, then the one for all covered cells."""
    codes = {(row, col): int(code) for row, line in enumerate(board) for col, code in enumerate(line)}
    covered = {cell for cell, code in codes.items() if MAX_CLUE < code < SHOWN_MINE}
    shown = {cell for cell, code in codes.items() if code == SHOWN_MINE}
    constraints = []
    for (row, col), code in codes.items():
        around = set(product(range(row - 1, row + 2), range(col - 1, col + 2)))
        lacking = code - len(around & shown)
        # Even a clue without covered neighbours counts if it lacks a mine: no layout gives it one.
        if code <= MAX_CLUE and (around & covered or lacking):
            constraints.append((around & covered, lacking))
    return [*constraints, (covered, mines - len(shown))]


def merge_cells(constraints: Sequence[Constraint]) -> list[Group]:
    """Step 2. Returns the groups. The covered cells away from all clues form one, under the last constraint alone."""
    groups: dict[frozenset[int], list[Cell]] = defaultdict(list)
    for cell in sorted(constraints[-1][0]):
        groups[frozenset(number for number, (cells, _) in enumerate(constraints) if cell in cells)].append(cell)
    return list(groups.items())


def order_groups(groups: Sequence[Group], total: int) -> list[Group]:
    """Step 3. Returns the groups in an order that keeps few constraints open, since each one adds a factor of states.

    A constraint is open from its first group to its last. Each step adds all groups of an open constraint: of the one
    whose groups open the fewest others. Between two components only the total is open: a state is the number of mines
    so far. The cells away from clues come last: after m mines, U such cells have C(U, M - m) fillings.
    """
    opened, remaining, ordered = {total}, list(groups), []
    while remaining:
        pending = _constraints_over(remaining) - {total}
        candidates = pending & opened or pending or {total}  # an open constraint, or else one of the next component
        choices = [[group for group in remaining if number in group[0]] for number in candidates]
        chosen = min(choices, key=lambda choice: (len(_constraints_over(choice) - opened), len(choice)))
        remaining = [group for group in remaining if group not in chosen]
        ordered += chosen
        opened |= _constraints_over(chosen)
    return ordered


def _constraints_over(groups: Sequence[Group]) -> set[int]:
    return {number for over, _ in groups for number in over}


def count_forward(constraints: Sequence[Constraint], groups: Sequence[Group]) -> tuple[list[Counts], list[list[Link]]]:
    """Step 4. Returns the ways to reach each state before the first group and after each, and the links of each group.

    F_0(start) = 1, and F_g(after) is the sum of F_(g-1)(state) C(s, k) over the links to it.
    """
    levels: list[Counts] = [{tuple(lacking for _, lacking in constraints): 1}]
    links: list[list[Link]] = []
    later = [len(cells) for cells, _ in constraints]  # for each constraint, its cells in later groups
    for over, cells in groups:
        for number in over:
            later[number] -= len(cells)
        links.append([(state, k, after) for state in levels[-1] for k, after in fill(state, over, len(cells), later)])
        reached: Counts = defaultdict(int)
        for state, k, after in links[-1]:
            reached[after] += levels[-1][state] * comb(len(cells), k)
        levels.append(reached)
    return levels, links


def fill(state: State, over: frozenset[int], size: int, later: Sequence[int]) -> Iterator[tuple[int, State]]:
    """Yields each number of mines k that `size` cells under the constraints `over` can have, and the state after it."""
    for k in range(size + 1):
        after = tuple(lacking - k if number in over else lacking for number, lacking in enumerate(state))
        # No constraint has too many mines, and none lacks more than its cells in later groups can hold.
        if all(0 <= after[number] <= later[number] for number in over):
            yield k, after


def count_backward(level: Counts, links: Sequence[Link], size: int, completions: Counts) -> tuple[Counts, int]:
    """Step 5. Returns the ways to complete each state before a group, and the mines of the group in all layouts.

    B_(g-1)(state) is the sum of C(s, k) B_g(after) over the links from it. F(state) C(s, k) B(after) layouts use each.
    """
    before: Counts = defaultdict(int)
    mines = 0
    for state, k, after in links:
        ways = comb(size, k) * completions.get(after, 0)
        before[state] += ways
        mines += k * level[state] * ways
    return before, mines


if __name__ == "__main__":
    H = 11  # a hidden cell
    example = [[H, 1, 0, 1, H, H], [H, 1, 0, 1, H, H], [H, 2, 2, 1, H, H], [H, H, H, H, H, H]]
    for line in mine_probabilities(example, mines=6):
        print("".join(f"{risk!s:>8}" for risk in line))
