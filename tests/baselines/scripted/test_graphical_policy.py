"""`graphical` and `graphical_source`: values against a naive recursion, and the choice of a cell."""

from functools import cache, partial
from itertools import product

import numpy as np
import pytest
from support import policies

from baselines.registry import find_policy
from baselines.scripted.base import Knowledge, neighbour_sums
from baselines.scripted.fitted import play_practice_games
from baselines.scripted.graphical import GraphicalPolicy, largest_of_cells
from minesweeper_env import HIDDEN

COVERED, MINE, OUTSIDE = 9, 10, 11
click_config = partial(policies.click_config, first_click="any")


def symmetric_versions(grid) -> list[tuple[int, ...]]:
    grid = np.reshape(grid, (3, 3))
    transformed = [np.rot90(part, k) for part in (grid, np.fliplr(grid)) for k in range(4)]
    return [tuple(version.ravel().tolist()) for version in transformed]


def agrees(state, example) -> bool:
    return all(b != OUTSIDE if a == COVERED else a == b for a, b in zip(state, example, strict=True))


def click(state, example, cell, radius=1):
    """Returns the state after a click, by flood fill within the sub-grid."""
    shown, waiting = list(state), [cell]
    while waiting:
        cell = waiting.pop()
        if shown[cell] != COVERED:
            continue
        shown[cell] = example[cell]
        if example[cell] == 0:
            row, col = divmod(cell, 3)
            waiting += [k for k in range(9) if max(abs(k // 3 - row), abs(k % 3 - col)) <= radius]
    return tuple(shown)


def is_cleared(state, example) -> bool:
    return all(b == MINE for a, b in zip(state, example, strict=True) if a == COVERED)


class Naive:
    """Both rules as recursions over lists of examples."""

    def __init__(self, subgrids, counts, prior, radius=1) -> None:
        repeated = [grid for grid, count in zip(subgrids, counts, strict=True) for _ in range(count)]
        self.examples = [version for grid in repeated for version in symmetric_versions(grid)]
        self.guess = -100 * prior + (1 - prior)
        self.radius = radius
        self.expected = cache(lambda state: max(self.expectations(state, self.uncleared(state)).values()))
        self.longest = cache(lambda state: max(self.lengths(state).values()))

    def agreeing(self, state):
        return [example for example in self.examples if agrees(state, example)]

    def uncleared(self, state):
        return [example for example in self.agreeing(state) if not is_cleared(state, example)]

    def outcomes(self, state, example, cell):
        """Returns the kind of outcome of a click, and the next state."""
        after = click(state, example, cell, self.radius)
        if after[cell] == MINE:
            return "mine", None
        return ("cleared" if is_cleared(after, example) else "on"), after

    def expectations(self, state, examples):
        values = {}
        for cell in (cell for cell in range(9) if state[cell] == COVERED):
            total = self.guess
            for example in examples:
                kind, after = self.outcomes(state, example, cell)
                total += {"mine": -100, "cleared": 100}.get(kind) or 1 + self.expected(after)
            values[cell] = total / (len(examples) + 1)
        return values

    def lengths(self, state):
        examples = self.uncleared(state)
        values = {}
        for cell in (cell for cell in range(9) if state[cell] == COVERED):
            outcomes = [self.outcomes(state, example, cell) for example in examples]
            paths = [-100.0] if not examples else []
            for kind, after in set(outcomes):
                probability = outcomes.count((kind, after)) / len(examples)
                ends = {"mine": -100 * probability, "cleared": 100 * probability}
                paths.append(ends.get(kind) or self.longest(after) + probability)
            values[cell] = max(paths)
        return values


def random_states(rng, naive, number):
    """Draws states that clicks on safe cells of some example lead to."""
    states = set()
    while len(states) < number:
        example = naive.examples[rng.integers(len(naive.examples))]
        state = tuple(OUTSIDE if symbol == OUTSIDE else COVERED for symbol in example)
        free = [cell for cell in range(9) if example[cell] < COVERED]
        for cell in rng.permutation(free)[: rng.integers(len(free) + 1)].tolist():
            state = click(state, example, cell, naive.radius)
        if COVERED in state:
            states.add(state)
    return sorted(states)


@pytest.mark.parametrize(
    ("config", "games"),
    [
        pytest.param(click_config(4, 5, 4), 1, id="one board"),
        pytest.param(click_config(3, 4, 5), 2, id="many mines"),
        pytest.param(click_config(2, 7, 3), 1, id="narrow"),
        pytest.param(click_config(1, 9, 2), 2, id="strip"),
        pytest.param(click_config(4, 4, 3, radius=2), 1, id="wide neighbourhoods"),
    ],
)
@pytest.mark.parametrize("name", ["graphical", "graphical_source"])
def test_values_are_those_of_the_naive_recursion(name, config, games):
    offset = config.codes.max_count - 8
    policy = find_policy(name, fit_games=games, fit_seed=1)(config)
    subgrids, counts = policy.count(play_practice_games(config, games, seed=1))
    symbols = np.where(subgrids > 8, subgrids - offset, subgrids)
    naive = Naive(symbols, counts, config.mines / config.cells, config.radius)
    states = random_states(np.random.default_rng(0), naive, 25)
    given = np.array(states)
    found, unseen = policy.state_values.click_values(np.where(given > 8, given + offset, given))
    assert not unseen.any()
    for state, value in zip(states, found, strict=True):
        expected = naive.expectations(state, naive.agreeing(state)) if name == "graphical" else naive.lengths(state)
        best = max(expected.values())
        for cell in range(9):
            if expected.get(cell, -np.inf) >= best - 1e-9:
                assert value[cell] == pytest.approx(best)
            else:
                assert value[cell] == -np.inf


@pytest.mark.parametrize(
    ("name", "value", "unseen"),
    [("graphical", 6 * 100 - 2 * 100, -100 / 9 + 8 / 9), ("graphical_source", 600, -np.inf)],
)
def test_values_worked_out_by_hand(name, value, unseen, monkeypatch):
    # Three sub-grids have the mine in a corner and one on a side. Of the eight versions of each, two have it in the
    # corner, or on the side, of the first state. The second state agrees with nothing.
    subgrids = np.array([[MINE, 1, 1, 1, 1, 1, 1, 1, 1], [1, MINE, 1, 1, 1, 1, 1, 1, 1]])
    monkeypatch.setattr(GraphicalPolicy, "count", lambda *_: (subgrids, np.array([3, 1])))
    policy = find_policy(name)(click_config(3, 3, 1))
    states = np.array([[COVERED, COVERED, 1, 1, 1, 1, 1, 1, 1], [COVERED, 8, 8, 8, 8, 8, 8, 8, COVERED]])
    values, is_unseen = policy.state_values.click_values(states)
    assert is_unseen.tolist() == [False, True]
    assert values[0, 1] == pytest.approx(value / 8 if name == "graphical_source" else (value + unseen) / 9)
    assert (np.delete(values[0], 1) == -np.inf).all()
    assert values[1, [0, 8]] == pytest.approx(unseen)
    board = states[1:].reshape(1, 3, 3).astype(np.int8)
    policy.act(np.where(board == COVERED, HIDDEN, board), np.eye(1, 9, dtype=np.int8))
    assert policy.counters == {"guesses": 1, "subgrids": 1, "unseen_subgrids": 1}


def test_counts_are_those_of_a_loop_over_boards():
    config = click_config(4, 5, 4)
    expected: dict[tuple[int, ...], int] = {}
    for batch in play_practice_games(config, 40, seed=3):
        truth = np.where(batch.layouts, MINE, neighbour_sums(batch.layouts, 1))
        for board, i, j in product(truth, range(2), range(3)):
            canonical = min(symmetric_versions(board[i : i + 3, j : j + 3]))
            expected[canonical] = expected.get(canonical, 0) + 1
    policy = find_policy("graphical", fit_games=1)(config)
    subgrids, counts = policy.count(play_practice_games(config, 40, seed=3))
    canonicals = [min(symmetric_versions(grid)) for grid in subgrids]
    assert dict(zip(canonicals, counts.tolist(), strict=True)) == expected
    assert len(set(canonicals)) == len(canonicals)


def test_a_rotated_board_gets_rotated_values():
    config = click_config(6, 6, 6)
    policy = find_policy("graphical", fit_games=300)(config)
    rng = np.random.default_rng(4)
    for batch in play_practice_games(config, 5, seed=9):
        for board in batch.boards:
            risks = policy.risks(Knowledge(board[None], config))[0]
            k, mirrored = int(rng.integers(4)), rng.random() < 0.5
            transformed = np.rot90(board[:, ::-1] if mirrored else board, k)
            expected = np.rot90(risks[:, ::-1] if mirrored else risks, k)
            assert policy.risks(Knowledge(transformed[None], config))[0] == pytest.approx(expected)


@pytest.mark.parametrize("name", ["graphical", "graphical_source"])
def test_it_clicks_best_cells_of_the_best_subgrids_equally_often(name):
    config = click_config(9, 9, 6)
    policy = find_policy(name, fit_games=50)(config)
    board = np.full((2000, 9, 9), HIDDEN, np.int8)
    clicked = np.bincount(policy.act(board, np.ones((2000, 81), np.int8)), minlength=81)
    values, _ = policy.state_values.click_values(np.full(9, COVERED))
    best = largest_of_cells(np.tile(values, (1, 7, 7, 1)), 9, 9)[0].ravel() == values.max()
    assert ((clicked > 0) == best).all()
    expected = 2000 / best.sum()
    assert (np.abs(clicked[best] - expected) < 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize("config", [click_config(1, 2, 1), click_config(2, 2, 1), click_config(3, 3, 8)])
def test_smallest_boards_can_be_played(config):
    for name in ("graphical", "graphical_source"):
        policy = find_policy(name, fit_games=20)(config)
        board = np.full((5, config.rows, config.cols), HIDDEN, np.int8)
        actions = policy.act(board, np.ones((5, config.cells), np.int8))
        assert ((actions >= 0) & (actions < config.cells)).all()
