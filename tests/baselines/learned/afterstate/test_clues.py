"""Safety fitted to the clues: the equations, the nearest point, exchangeable cells, and what follows from it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from support.positions import counts_of

from baselines.learned.afterstate.clues import CERTAIN, averaged_logits, fitted_safety
from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.policy import AfterstatePolicy
from baselines.learned.settings import NetworkSize
from minesweeper_env.codes import FLAGGED, HIDDEN, QUESTION
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities

MINES = 7
SEEDS = st.integers(0, 2**32 - 1)


def board_and_guess(seed, opened=12):
    """Returns codes (6, 6) of a random layout, some cells open, and a rough safety (36,) of the covered cells."""
    rng = np.random.default_rng(seed)
    mines = np.zeros(36, np.bool_)
    mines[rng.choice(36, MINES, replace=False)] = True
    codes = np.full(36, HIDDEN, np.int8)
    cells = rng.choice(np.flatnonzero(~mines), opened, replace=False)
    codes[cells] = counts_of(mines.reshape(6, 6), 1).reshape(-1)[cells]
    return codes.reshape(6, 6), np.where(codes == HIDDEN, rng.uniform(0.05, 0.95, 36), 0.0).astype(np.float32)


def equations(codes):
    """Returns the matrix (K, 36) and the right sides (K,) of the equations for the mine probabilities."""
    covered = codes >= FLAGGED
    rows, sums = [covered.reshape(-1)], [MINES]
    for row, col in zip(*np.nonzero(~covered), strict=True):
        around = np.zeros((6, 6), np.bool_)
        around[max(row - 1, 0) : row + 2, max(col - 1, 0) : col + 2] = True
        rows.append((around & covered).reshape(-1))
        sums.append(codes[row, col])
    return np.array(rows, np.float64), np.array(sums, np.float64)


def divergence(exact, safety, codes):
    """Returns the sum over covered cells of the divergence of a safety from the exact probabilities, in nats."""
    covered = (codes >= FLAGGED).reshape(-1)
    risk, own = exact.reshape(-1)[covered], np.clip(1 - safety[covered].astype(np.float64), 1e-12, 1 - 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        mine, safe = risk * np.log(risk / own), (1 - risk) * np.log((1 - risk) / (1 - own))
    return np.nansum(mine) + np.nansum(safe)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_the_equations_hold_and_the_exact_probabilities_are_nearer(seed):
    codes, safety = board_and_guess(seed)
    fitted = fitted_safety(safety[None], codes[None], MINES)[0]
    matrix, sums = equations(codes)
    assert abs(matrix @ np.where(codes.reshape(-1) == HIDDEN, 1 - fitted, 0) - sums).max() < 0.15
    exact = mine_probabilities(codes, MINES)
    assert divergence(exact, fitted, codes) < divergence(exact, safety, codes) + 0.01


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_nearest_point_that_meets_the_equations(seed):
    codes, safety = board_and_guess(seed, opened=4)
    (matrix, sums), covered = equations(codes), (codes == HIDDEN).reshape(-1)
    matrix, logits = matrix[:, covered], np.log(1 / safety[covered].astype(np.float64) - 1)
    # Exchangeable cells are in the same equations; their equality is an equation, too.
    alike = (matrix[:, :, None] == matrix[:, None, :]).all(axis=0)
    assert alike.sum(axis=1).max() > 1
    logits = alike @ logits / alike.sum(axis=1)

    def dual(multipliers):
        shifted = logits + multipliers @ matrix
        return np.logaddexp(0, shifted).sum() - multipliers @ sums, matrix @ (1 / (1 + np.exp(-shifted))) - sums

    best = minimize(dual, np.zeros(len(sums)), jac=True, method="BFGS", options={"gtol": 1e-6})
    nearest = 1 / (1 + np.exp(logits + best.x @ matrix))
    assert fitted_safety(safety[None], codes[None], MINES)[0][covered] == pytest.approx(nearest, abs=0.01)


@settings(max_examples=60, deadline=None)
@given(st.tuples(st.integers(1, 7), st.integers(1, 7)), SEEDS)
def test_logits_become_the_mean_over_the_cells_of_the_board_that_neighbour_the_same_clues(shape, seed):
    rng, codes = np.random.default_rng(seed), [0, 1, 3, 8, FLAGGED, QUESTION, HIDDEN]
    boards = rng.choice(codes, (3, *shape), p=[0.1] * 4 + [0.05] * 2 + [0.5]).astype(np.int8)
    logits = rng.normal(size=(3, boards[0].size))
    for board, given_logits, found in zip(boards, logits, averaged_logits(logits, boards), strict=True):
        clues = np.argwhere(board <= 8)
        around = [(abs(clues - place) < 2).all(axis=1).tolist() for place in np.ndindex(*shape)]
        covered = board.reshape(-1) >= FLAGGED
        for cell, near in enumerate(around):
            alike = [other for other in np.flatnonzero(covered) if around[other] == near]
            assert found[cell] == pytest.approx(given_logits[alike].mean() if covered[cell] else given_logits[cell])


def test_certain_covered_and_impossible_boards():
    codes, safety = board_and_guess(1)
    safety[np.flatnonzero(safety)[0]] = CERTAIN
    np.testing.assert_array_equal(fitted_safety(safety[None], codes[None], MINES)[0], safety)
    covered = fitted_safety(np.full((1, 25), 0.6, np.float32), np.full((1, 5, 5), HIDDEN, np.int8), 5)
    assert covered == pytest.approx(0.8, abs=1e-3)
    codes = np.full((1, 4, 4), HIDDEN, np.int8)
    codes[0, 0, 0], codes[0, 3, 3] = 8, 0
    fitted = fitted_safety(np.full((1, 16), 0.5, np.float32), codes, 3)
    assert ((fitted >= 0) & (fitted <= 1)).all()


def test_the_policy_counts_the_mines_under_flags():
    config = BoardConfig(3, 4, 2, moves=("click",))
    codes = np.array([[[1, FLAGGED, 1, HIDDEN], [1, 1, 2, HIDDEN], [0, 0, 1, HIDDEN]]], np.int8)
    policy = AfterstatePolicy(AfterstateNetwork(NetworkSize(4, 1)).eval(), config, breadth=1)
    legal = (codes == HIDDEN).reshape(1, -1).astype(np.int8)
    # The mine under the flag explains the clues on its left, so the second one is at the bottom right.
    safest = policy.act(codes, legal)[0]
    assert mine_probabilities(codes[0], config.mines).reshape(-1)[safest] == 0
