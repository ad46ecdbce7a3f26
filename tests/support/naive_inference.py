"""Slow reference implementation of inference, which the tests compare the oracle with.

A board is a list of constraints, each the number of mines in a set of cells: one for each clue and, unless the cells
are independent, one for all unknown cells. `layouts` tries every layout. The other functions try every way to deal
mines out to groups of cells that lie in the same constraints; k mines in a group of n cells make C(n, k) layouts. All
sums are exact integers. Boards of up to 6 x 6 cells take little time.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.inference.boards import InconsistentBoardError
from support.naive_game import neighbours

Cell = tuple[int, int]
Group = tuple[Cell, ...]
Dealt = dict[Group, int]


class Constraint(NamedTuple):
    """The number of mines in a set of cells."""

    cells: frozenset[Cell]
    mines: int


class Position(NamedTuple):
    """A visible board: its open cells with their counts, the mines shown, and the other covered cells."""

    rows: int
    cols: int
    radius: int
    mines: int
    counts: dict[Cell, int]
    shown: frozenset[Cell]
    unknown: tuple[Cell, ...]

    def neighbours(self, cell: Cell) -> frozenset[Cell]:
        """Returns the neighbours of a cell."""
        return neighbours(self.rows, self.cols, cell, self.radius)

    def constraints(self, total: bool = True) -> list[Constraint]:
        """Returns a constraint for each clue and, with `total`, a last one for all unknown cells."""
        unknown = frozenset(self.unknown)
        clues = [
            Constraint(self.neighbours(cell) & unknown, count - len(self.neighbours(cell) & self.shown))
            for cell, count in self.counts.items()
        ]
        return [*clues, Constraint(unknown, self.mines - len(self.shown))] if total else clues


def read(board: ArrayLike, mines: Any, radius: int = 1) -> Position:
    """Returns the position of a board (rows, cols) of cell codes."""
    codes = np.asarray(board)
    seen = {cell: int(codes[cell]) for cell in product(range(codes.shape[0]), range(codes.shape[1]))}
    most, mine = Codes.of_radius(radius).max_count, Codes.of_radius(radius).mine
    counts = {cell: code for cell, code in seen.items() if code <= most}
    shown = frozenset(cell for cell, code in seen.items() if code == mine)
    unknown = tuple(cell for cell, code in seen.items() if most < code < mine)
    return Position(codes.shape[0], codes.shape[1], radius, int(mines), counts, shown, unknown)


def layouts(board: ArrayLike, mines: int, *, radius: int = 1) -> list[frozenset[Cell]]:
    """Returns the mines of each layout that fits a board, found by trying all; raises if none does."""
    position = read(board, mines, radius)
    fitting = [
        position.shown.union(chosen)
        for chosen in combinations(position.unknown, max(position.mines - len(position.shown), 0))
        if all(len(cells.intersection(chosen)) == number for cells, number in position.constraints())
    ]
    if not fitting:
        raise _contradiction(position, total=True)
    return fitting


def count_layouts(board: ArrayLike, mines: int, *, radius: int = 1) -> int:
    """Returns the number of layouts that fit a board; raises the same errors as `layouts`."""
    return sum(weight for weight, _ in _weighted(read(board, mines, radius)))


def mine_probabilities(board: ArrayLike, mines: int, *, prior=None, radius: int = 1) -> NDArray[np.float64]:
    """Returns (rows, cols) float64, the probability that each cell is a mine.

    With a `prior` each cell is a mine with this probability, independently, and the number of mines is not used.
    """
    position = read(board, mines, radius)
    result = np.zeros((position.rows, position.cols))
    for cell, chance in _posterior(position, prior).items():
        result[cell] = float(chance)
    return result


def certain_cells(board: ArrayLike, mines: int, *, radius: int = 1) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Returns two (rows, cols) bool arrays: the covered cells that are free in all layouts, and mines in all."""
    position = read(board, mines, radius)
    safe, mine = np.zeros((2, position.rows, position.cols), np.bool_)
    for cell, chance in _posterior(position, None).items():
        safe[cell], mine[cell] = chance == 0, chance == 1
    return safe, mine


def count_distribution(board: ArrayLike, mines: int, cell: Cell, *, radius: int = 1) -> NDArray[np.float64]:
    """Returns (K + 1,) float64: entry c is the probability that a covered cell is free and shows c."""
    position = read(board, mines, radius)
    neighbours = position.neighbours(cell)
    sums: Counter[int] = Counter()
    total = 0
    for weight, dealt in _weighted(position, sets=[neighbours, frozenset([cell])]):
        total += weight
        if cell not in position.shown and not dealt[(cell,)]:
            mines_near = sum(number for cells, number in dealt.items() if cells[0] in neighbours)
            sums[mines_near + len(neighbours & position.shown)] += weight
    return np.array([float(Fraction(sums[count], total)) for count in range(Codes.of_radius(radius).max_count + 1)])


def grouped(cells: Iterable[Cell], sets: Sequence[frozenset[Cell]]) -> list[Group]:
    """Returns the cells in groups; each set contains all cells of a group or none."""
    groups: dict[tuple[bool, ...], list[Cell]] = {}
    for cell in cells:
        groups.setdefault(tuple(cell in one for one in sets), []).append(cell)
    return [tuple(group) for group in groups.values()]


def arrangements(groups: Sequence[Group], constraints: Sequence[Constraint]) -> Iterator[Dealt]:
    """Yields every way to give each group, which no constraint divides, a number of mines that fits all constraints."""
    said = []
    later = [len(cells) for cells, _ in constraints]
    for group in groups:
        about = [number for number, (cells, _) in enumerate(constraints) if group[0] in cells]
        for number in about:
            later[number] -= len(group)
        said.append([(number, later[number]) for number in about])
    return _deal(groups, said, [mines for _, mines in constraints])


def _deal(groups: Sequence[Group], said: Sequence[list[tuple[int, int]]], left: list[int]) -> Iterator[Dealt]:
    """Deals out the mines left; `said` has each group's constraints, with their numbers of cells in later groups."""
    if not groups:
        if not any(left):
            yield {}
        return
    group, about = groups[0], said[0]
    least = max([0, *(left[number] - later for number, later in about)])
    most = min([len(group), *(left[number] for number, _ in about)])
    for mines in range(least, most + 1):
        rest = left.copy()
        for number, _ in about:
            rest[number] -= mines
        for others in _deal(groups[1:], said[1:], rest):
            yield {group: mines, **others}


def _weighted(position: Position, prior=None, sets: Sequence[frozenset[Cell]] = ()) -> Iterator[tuple[int, Dealt]]:
    """Yields each arrangement after its weight, the number of its layouts; no set in `sets` divides a group.

    With a prior a / b, the weight is multiplied by a for each mine and by b - a for each free cell.
    """
    constraints = position.constraints(total=prior is None)
    groups = grouped(position.unknown, [*(cells for cells, _ in constraints), *sets])
    a, b = Fraction(1, 2).as_integer_ratio() if prior is None else Fraction(prior).as_integer_ratio()
    found = False
    for dealt in arrangements(groups, constraints):
        found = True
        yield prod(comb(len(cells), k) * a**k * (b - a) ** (len(cells) - k) for cells, k in dealt.items()), dealt
    if not found:
        raise _contradiction(position, total=prior is None)


def _posterior(position: Position, prior: float | None) -> dict[Cell, Fraction]:
    """Returns the probability that each covered cell is a mine."""
    sums: Counter[Group] = Counter()
    total = 0
    for weight, dealt in _weighted(position, prior):
        total += weight
        for group, number in dealt.items():
            sums[group] += weight * number
    chances = {cell: Fraction(mines, total * len(group)) for group, mines in sums.items() for cell in group}
    return {**chances, **dict.fromkeys(position.shown, Fraction(1))}


def _contradiction(position: Position, total: bool) -> InconsistentBoardError:
    """Returns an error at the first clue, in reading order, that contradicts the clues before it."""
    constraints = position.constraints(total=False)
    for number, cell in enumerate(position.counts, start=1):
        groups = grouped(position.unknown, [cells for cells, _ in constraints[:number]])
        if next(arrangements(groups, constraints[:number]), None) is None:
            return InconsistentBoardError("its count contradicts those before it", cell)
    assert total, "no count is contradicted"
    cell = (*position.unknown, *sorted(position.shown), (0, 0))[0]
    return InconsistentBoardError(f"the counts do not allow {position.mines} mines in all", cell)
