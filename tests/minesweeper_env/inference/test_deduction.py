"""Steps of deduction: the named counts force every step, each level is complete, and known patterns come out."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from support import naive_inference as naive
from support.naive_inference import Constraint
from support.positions import board_of, cells_of, counts_of, flood, layouts_of_size, perturbed, random_positions

from minesweeper_env.codes import Codes
from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError, certain_cells, count_distribution
from minesweeper_env.inference.deduction.proofs import hint
from minesweeper_env.inference.deduction.steps import LEVELS, RULES, Step, deduce


class Facts:
    """Contents of the board and findings so far, in sets of cells."""

    def __init__(self, board, mines, radius):
        self.board, self.position = board, naive.read(board, mines, radius)
        self.unknown = set(self.position.unknown)
        self.mine = set(self.position.shown)

    def constraint(self, cell):
        neighbours = self.position.neighbours(cell)
        return Constraint(neighbours & self.unknown, self.position.counts[cell] - len(neighbours & self.mine))

    def total(self):
        return Constraint(frozenset(self.unknown), self.position.mines - len(self.mine))

    def learn(self, step):
        assert self.unknown >= {*step.safe, *step.mine}
        self.unknown -= {*step.safe, *step.mine}
        self.mine |= {*step.mine}

    def reason(self, step):
        """Returns the constraints that a step names."""
        return [self.constraint(cell) for cell in step.because] + [self.total()] * step.uses_total


def force(reason, step):
    """Returns whether constraints force the findings of a step, by trying all fillings of their cells."""
    cells = sorted(set().union(*(constraint.cells for constraint in reason)))
    if not {*step.safe, *step.mine} <= {*cells}:
        return False
    groups = naive.grouped(cells, [*(constraint.cells for constraint in reason), {*step.safe}, {*step.mine}])
    for dealt in naive.arrangements(groups, reason):
        for group, mines in dealt.items():
            if (group[0] in step.safe and mines) or (group[0] in step.mine and mines < len(group)):
                return False
    return True


def disjoint_families(closure):
    """Yields (cells, mines) of every family of pairwise disjoint constraints."""
    if not closure:
        yield frozenset(), 0
        return
    first, others = closure[0], closure[1:]
    yield from disjoint_families(others)
    for cells, mines in disjoint_families([other for other in others if not other.cells & first.cells]):
        yield cells | first.cells, mines + first.mines


def is_certain(constraint):
    return bool(constraint.cells) and constraint.mines in (0, len(constraint.cells))


def certain_by_count(facts):
    """Returns the certain ones among the constraints of single counts and of the whole board."""
    said = [*map(facts.constraint, facts.position.counts), facts.total()]
    return [constraint for constraint in said if is_certain(constraint)]


def closure_of(facts):
    closure = {facts.constraint(cell) for cell in facts.position.counts}
    while True:
        nested = {(one, other) for one in closure for other in closure if one.cells < other.cells}
        more = {Constraint(other.cells - one.cells, other.mines - one.mines) for one, other in nested} - closure
        if not more:
            return closure
        closure |= more


def certain_by_subset(facts):
    """Returns the certain constraints of the closure; without any, those that disjoint families leave of the board."""
    closure = [constraint for constraint in closure_of(facts) if constraint.cells]
    certain = [constraint for constraint in closure if is_certain(constraint)] or overlaps(closure)
    if certain:
        return certain
    total = facts.total()
    rests = {Constraint(total.cells - cells, total.mines - mines) for cells, mines in disjoint_families(closure)}
    return [rest for rest in rests if is_certain(rest)]


def overlaps(closure):
    """Returns what two constraints prove that share cells, where one needs all cells of its own for its mines."""
    found = []
    for one in closure:
        for other in closure:
            own, foreign = one.cells - other.cells, other.cells - one.cells
            if one.cells & other.cells and own and foreign and one.mines - other.mines == len(own):
                found += [Constraint(own, len(own)), Constraint(foreign, 0)]
    return found


def found_by(facts, rules):
    """Applies rules until nothing is new; returns the safe cells and the mines."""
    safe, mine = set(), set()
    while True:
        certain = [constraint for rule in rules for constraint in rule(facts)]
        if not certain:
            return safe, mine
        for cells, mines in certain:
            (mine if mines else safe).update(cells)
        facts.unknown -= safe | mine
        facts.mine |= mine


def found_in(steps):
    return {cell for step in steps for cell in step.safe}, {cell for step in steps for cell in step.mine}


def check_steps(board, mines, radius):
    """Checks all steps on a board, and returns them."""
    steps = deduce(board, mines, radius=radius)
    facts = Facts(board, mines, radius)
    for step in steps:
        reason = facts.reason(step)
        assert force(reason, step), (board, step)
        if step.rule != "count":
            assert not certain_by_count(facts), (board, step)
        if step.rule == "exact":
            assert not certain_by_subset(facts), (board, step)
            for number in range(len(reason)):
                assert not force(reason[:number] + reason[number + 1 :], step), (board, step)
        else:
            assert not (step.safe and step.mine)
        facts.learn(step)
    return steps


def test_each_step_is_forced_by_what_it_names_and_none_is_harder_than_need_be():
    kinds = set()
    for board, mines, radius, _ in random_positions(0, 1000):
        kinds |= {(step.rule, step.uses_total) for step in check_steps(board, mines, radius)}
    assert kinds == {(rule, total) for rule in RULES for total in (False, True)} - {("overlap", True)}


def test_the_exact_level_finds_all_that_is_certain():
    for board, mines, radius, _ in random_positions(3, 500):
        safe, mine = naive.certain_cells(board, mines, radius=radius)
        found = found_in(deduce(board, mines, radius=radius))
        mine &= board != Codes.of_radius(radius).mine
        assert found == (cells_of(safe), cells_of(mine))


@pytest.mark.parametrize(("level", "rules"), [("count", [certain_by_count]), ("subset", [certain_by_subset])])
def test_the_easier_levels_find_what_their_rules_find(level, rules):
    for board, mines, radius, _ in random_positions(4, 400):
        expected = found_by(Facts(board, mines, radius), rules)
        assert found_in(deduce(board, mines, radius=radius, level=level)) == expected, board


def test_each_level_begins_with_the_steps_of_the_one_below():
    for board, mines, radius, _ in random_positions(5, 300):
        by_level = [deduce(board, mines, radius=radius, level=level) for level in LEVELS]
        for number, steps in enumerate(by_level):
            assert {step.rule for step in steps} <= {*RULES[: (1, 3, 4)[number]]}
        for easier, harder in pairwise(by_level):
            assert harder[: len(easier)] == easier


def played_positions(seed, size, mines, radius, number):
    """Yields positions of larger boards, with an opening and some safe cells more, and their layouts."""
    rng = np.random.default_rng(seed)
    for layout in layouts_of_size(rng, size, mines, number):
        opened = np.zeros(size, np.bool_)
        counts = counts_of(layout, radius)
        first = np.argwhere(~layout & (counts == counts[~layout].min()))[:1]
        for row, col in [*first, *rng.permutation(np.argwhere(~layout))[: rng.integers(layout.size // 4)]]:
            flood(opened, counts, (int(row), int(col)), radius)
        yield board_of(layout, opened, radius), layout


@pytest.mark.parametrize(
    ("size", "mines", "radius", "boards"),
    [
        *(((8, 8), 14, 1, 12), ((16, 30), 99, 1, 12), ((12, 12), 15, 2, 12)),
        pytest.param((11, 13), 8, 3, 1, marks=pytest.mark.slow),
    ],
)
def test_larger_boards_are_deduced_completely_and_truly(size, mines, radius, boards):
    for board, layout in played_positions(6, size, mines, radius, boards):
        safe, mine = found_in(deduce(board, mines, radius=radius))
        certain = certain_cells(board, mines, radius=radius)
        assert safe == cells_of(certain.safe)
        assert mine == cells_of(certain.mine)
        assert not any(layout[cell] for cell in safe)
        assert all(layout[cell] for cell in mine)


def simple_moves(constraints, known):
    """Yields what a single constraint proves, or the difference of two, given the values of known cells."""
    left = [
        Constraint(cells - known.keys(), mines - sum(known.get(cell, 0) for cell in cells))
        for cells, mines in constraints
    ]
    left = [constraint for constraint in left if constraint.cells]
    for cells, mines in left:
        if mines in (0, len(cells)):
            yield dict.fromkeys(cells, int(mines > 0))
        for others, fewer in left:
            own, foreign = cells - others, others - cells
            if cells & others and own | foreign and mines - fewer == len(own):
                yield dict.fromkeys(own, 1) | dict.fromkeys(foreign, 0)


def has_simple_proof(facts, is_proved, most):
    """Returns whether at most `most` steps of one or two clues prove a cell, by breadth-first search."""
    constraints = [*map(facts.constraint, facts.position.counts), facts.total()]
    level = [{}]
    for _ in range(most):
        level = [{**known, **found} for known in level for found in simple_moves(constraints, known)]
        if any(is_proved(known) for known in level):
            return True
    return False


def holds(facts, step):
    """Returns whether the clues of a step force it; those of a long one are left to the oracle."""
    if len(step.because) > 8:
        safe, mine = certain_cells(facts.board, facts.position.mines, radius=facts.position.radius)
        return all(safe[cell] for cell in step.safe) and all(mine[cell] for cell in step.mine)
    return force(facts.reason(step), step)


def check_proof(board, mines, radius, cell=None):
    """Checks that a hint is a proof, that no step can be left out, and that none is shorter; returns its steps."""
    steps = hint(board, mines, radius=radius, cell=cell)
    for left_out in range(-1, len(steps) - 1):
        facts, is_complete = Facts(board, mines, radius), True
        for number, step in enumerate(steps):
            if number != left_out:
                is_complete = is_complete and holds(facts, step)
                facts.learn(step)
        assert is_complete == (left_out < 0), (board, steps)
    proves = (lambda known: cell in known) if cell else (lambda known: 0 in known.values())
    assert not has_simple_proof(Facts(board, mines, radius), proves, len(steps) - 1), (board, steps)
    return steps


def test_a_hint_is_a_shortest_proof_of_a_safe_cell():
    lengths = set()
    for board, mines, radius, _ in random_positions(7, 500):
        codes = Codes.of_radius(radius)
        board[board == codes.flagged] = codes.hidden
        steps = check_proof(board, mines, radius)
        safe, _ = naive.certain_cells(board, mines, radius=radius)
        assert bool(steps) == safe.any()
        assert all(bool(step.safe) == (step == steps[-1]) for step in steps)
        lengths.add(len(steps))
    assert lengths >= {0, 1, 2}


@pytest.mark.slow
@pytest.mark.parametrize(("size", "mines"), [((5, 5), 5), ((8, 8), 14), ((16, 16), 40), ((16, 30), 99)])
def test_hints_of_whole_games_are_shortest_proofs(size, mines):
    lengths = []
    for board, layout in played_positions(8, size, mines, 1, 100):
        while len(lengths) < 100 and (steps := check_proof(board, mines, 1)):
            lengths.append(len(steps))
            opened = board <= 8
            flood(opened, counts_of(layout, 1), steps[-1].safe[0], 1)
            board = board_of(layout, opened, 1)
    assert len(lengths) == 100
    assert max(lengths) <= 3
    assert np.mean(lengths) < 1.2


def test_easier_steps_come_before_harder_ones_of_the_same_number():
    rules = set()
    for board, mines, radius, _ in random_positions(8, 400):
        by_level = [hint(board, mines, radius=radius, level=level) for level in LEVELS]
        for number, steps in enumerate(by_level):
            assert {step.rule for step in steps} <= {*RULES[: (1, 3, 4)[number]]}
        for easier, harder in pairwise(by_level):
            assert not easier or len(harder) <= len(easier)
            assert len(harder) != len(easier) or [step.rule for step in easier] == [step.rule for step in harder]
        rules |= {(step.rule, len(step.because) > 1, step.uses_total) for step in by_level[-1]}
    assert rules >= {("count", False, False), ("count", True, False), ("subset", True, False), ("exact", True, False)}


def test_a_hint_rests_on_what_it_needs_alone():
    assert hint(read(". 1 0 0 1 . 1 ."), 2) == [Step("count", ((0, 7),), (), ((0, 4), (0, 6)))]
    assert hint(read(". 1 0 0 1 . 1 ."), 2, level="count") == [
        Step("count", (), ((0, 5),), ((0, 4),)),
        Step("count", ((0, 7),), (), ((0, 6),)),
    ]


def test_a_hint_proves_a_cell_with_a_flag_last():
    assert hint(read("F 1 * 1 ."), 1) == [Step("count", ((0, 4),), (), ((0, 3),))]
    assert hint(read("F 1 *"), 1) == [Step("count", ((0, 0),), (), ((0, 1),))]


def read(text):
    """Reads rows with " / " between them: counts, "." for hidden cells, "F" and "?" for marks, "*" for shown mines."""
    codes = {".": 11, "F": 9, "?": 10, "*": 12}
    return np.array([[codes.get(cell) or int(cell) for cell in line.split()] for line in text.split("/")])


by_total = partial(Step, uses_total=True)
PATTERNS = {
    "1-1 at a wall": (". . . . . / 1 1 1 1 .", 2, [Step("subset", ((0, 2),), (), ((1, 0), (1, 1)))]),
    "1-2-1 in the open": (
        ". . . . . . . / ? F 1 2 1 . .",
        4,
        [
            Step("overlap", ((0, 1), (1, 1)), (), ((1, 2), (1, 3))),
            Step("subset", (), ((0, 4),), ((1, 2), (1, 3))),
            Step("count", ((0, 3), (0, 5), (1, 5)), (), ((1, 4),)),
            Step("count", (), ((0, 2),), ((1, 2),)),
        ],
    ),
    "a lost game": (
        ". 1 * . .",
        1,
        [Step("count", ((0, 0),), (), ((0, 1),)), by_total("count", ((0, 3), (0, 4)), (), ())],
    ),
    "no count at all": (". .", 2, [by_total("count", (), ((0, 0), (0, 1)), ())]),
    "two counts need all mines": (". 1 . . 1 . . .", 2, [by_total("subset", ((0, 6), (0, 7)), (), ((0, 1), (0, 4)))]),
    "a count needs the last free cell": (". 1 . . .", 3, [by_total("subset", (), ((0, 3), (0, 4)), ((0, 1),))]),
    "two counts share no mine": (
        ". . . . . / . 1 . 1 .",
        2,
        [by_total("exact", ((0, 2), (1, 2)), (), ((1, 1), (1, 3)))],
    ),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_are_found_and_explained_with_all_their_cells(name):
    drawing, mines, steps = PATTERNS[name]
    assert deduce(read(drawing), mines) == steps
    for step in steps:
        assert all(str(cell) in step.explain() for cell in (*step.safe, *step.mine, *step.because))


def chain(clues):
    """Returns a board whose counts each share a cell with the next; the shown mine decides the first, and so all."""
    return np.array([[12] + [1, 11] * clues])


def test_a_long_chain_is_followed_to_its_end():
    steps = deduce(chain(200), 101)
    assert found_in(steps) == ({(0, col) for col in range(2, 401, 4)}, {(0, col) for col in range(4, 401, 4)})
    assert {step.rule for step in steps} == {"count"}


@pytest.mark.parametrize("level", LEVELS)
def test_contradictory_boards_raise_at_every_level(level):
    rng = np.random.default_rng(10)
    found = 0
    for position in random_positions(10, 300):
        board, mines = perturbed(rng, position)
        try:
            naive.certain_cells(board, mines, radius=position.radius)
        except InconsistentBoardError:
            found += 1
            for function in (deduce, hint):
                with pytest.raises(InconsistentBoardError):
                    function(board, mines, radius=position.radius, level=level)
        else:
            deduce(board, mines, radius=position.radius, level=level)
    assert 50 < found < 250


@pytest.mark.parametrize("level", ["hard", None])
@pytest.mark.parametrize("function", [deduce, hint])
def test_another_level_is_refused(function, level):
    with pytest.raises(ValueError, match="level must be one of count, subset, exact"):
        function([[11, 11]], 1, level=level)


def test_a_closure_beyond_its_bound_says_so(monkeypatch):
    monkeypatch.setattr("minesweeper_env.inference.deduction.constraints.MAX_CONSTRAINTS", 3)
    with pytest.raises(PositionTooHardError, match="more constraints"):
        deduce(read(". 1 . . 1 . . . . 1 . . . ."), 3, level="subset")


def test_a_hint_on_a_cell_is_a_shortest_proof_of_what_is_certain_of_it():
    proved = 0
    for board, mines, radius, _ in random_positions(11, 60, max_side=5):
        certain = certain_cells(board, mines, radius=radius)
        covered = board > Codes.of_radius(radius).max_count
        covered &= board != Codes.of_radius(radius).mine
        for cell in sorted(cells_of(covered)):
            steps = check_proof(board, mines, radius, cell)
            assert bool(steps) == (certain.safe[cell] or certain.mine[cell])
            if steps:
                assert cell in (steps[-1].safe if certain.safe[cell] else steps[-1].mine)
                assert not any(cell in step.safe + step.mine for step in steps[:-1])
                proved += len(steps) > 1
    assert proved > 3


def test_a_proof_along_a_chain_is_found_whatever_its_length():
    for clues in (10, 100):
        assert len(hint(chain(clues), clues // 2 + 1, cell=(0, 2 * clues))) == clues // 2


@pytest.mark.parametrize("cell", [(0, 0), (0, 3), (-1, 0), (1, 0), "A1", (0, 1, 2), (0, 1.0), 1])
def test_a_question_about_a_cell_needs_a_covered_one_of_the_board(cell):
    for ask in (lambda board: hint(board, 1, cell=cell), lambda board: count_distribution(board, 1, cell)):
        with pytest.raises(ValueError, match=r"cell must be (a covered cell of the 1 x 3 board|\(row, col\))"):
            ask([[1, 11, 11]])
