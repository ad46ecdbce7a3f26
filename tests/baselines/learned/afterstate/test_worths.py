"""Worth of the afterstates of a guess, against a plain computation."""

import numpy as np
import pytest
import torch

from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.search import REACH, Outcomes, worths, worths_alone
from baselines.learned.settings import NetworkSize


def network():
    torch.manual_seed(0)
    made = AfterstateNetwork(NetworkSize(4, 2))
    with torch.no_grad():
        made.worth.layer.weight.mul_(50)
    return made.eval()


def afterstates(rows, cols, count=30, guesses=4):
    """Returns codes, guesses, clicked cells and weights."""
    rng = np.random.default_rng(5)
    codes = rng.choice([0, 1, 2, 11], (count, rows, cols), p=[0.1, 0.2, 0.1, 0.6]).astype(np.int8)
    cells = rng.integers(rows * cols, size=count)
    return codes, rng.integers(guesses, size=count), cells, rng.uniform(0.1, 1, count).astype(np.float32)


def hazards(made, codes):
    with torch.no_grad():
        return made.hazards(torch.as_tensor(codes), 6).numpy().astype(np.float64)


def plain_worths(hazards, guesses, cells, weights):
    """Distant hazards are the mean over the afterstates of the same guess that are distant from the cell, too."""
    rows, cols = np.indices(hazards.shape[1:])
    width = hazards.shape[2]
    distance = [np.maximum(abs(rows - cell // width), abs(cols - cell % width)) for cell in cells]
    distant = np.array(distance) > REACH
    found = []
    for guess, own, far in zip(guesses, hazards, distant, strict=True):
        shares = (weights * (guesses == guess))[:, None, None] * distant
        means = (shares * hazards).sum(axis=0) / np.maximum(shares.sum(axis=0), 1e-12)
        found.append(np.exp(-np.where(far, means, own).sum()))
    return np.array(found)


@pytest.mark.parametrize("shape", [(9, 12), (1, 20), (5, 5)])
def test_distant_hazards_are_means_over_the_afterstates_of_the_guess(shape):
    made, (codes, *rest) = network(), afterstates(*shape)
    assert worths(made, 6, Outcomes(codes, *rest)) == pytest.approx(plain_worths(hazards(made, codes), *rest), rel=1e-5)


def test_many_afterstates_in_several_passes_give_the_same(monkeypatch):
    made, given = network(), afterstates(9, 12)
    whole = worths(made, 6, Outcomes(*given))
    monkeypatch.setattr("baselines.learned.afterstate.search.AT_ONCE", 7)
    assert worths(made, 6, Outcomes(*given)) == pytest.approx(whole, rel=1e-6)


def test_on_a_board_within_reach_every_afterstate_counts_alone():
    made, (codes, *rest) = network(), afterstates(4, 4)
    alone = np.exp(-hazards(made, codes).sum(axis=(1, 2)))
    assert worths(made, 6, Outcomes(codes, *rest)) == pytest.approx(alone, rel=1e-5)
    assert worths_alone(made, 6, codes) == pytest.approx(alone, rel=1e-5)


def test_with_symmetries_hazards_are_means_over_the_four_views():
    made, (codes, *rest) = network(), afterstates(9, 9)
    views = [
        back(hazards(made, np.ascontiguousarray(there(codes))))
        for there, back in (
            (
                lambda each, turns=turns, flip=flip: np.rot90(each[:, :, ::-1] if flip else each, turns, (1, 2)),
                lambda each, turns=turns, flip=flip: np.rot90(each, -turns, (1, 2))[:, :, :: -1 if flip else 1],
            )
            for turns in (0, 2)
            for flip in (False, True)
        )
    ]
    mean = np.mean(views, axis=0)
    expected = plain_worths(mean, *rest)
    assert worths(made, 6, Outcomes(codes, *rest), averaged=True) == pytest.approx(expected, rel=1e-5)
    assert worths(made, 6, Outcomes(codes, *rest)) != pytest.approx(expected, rel=1e-6)


def test_no_afterstates_give_no_worths():
    empty = np.zeros(0, np.int64)
    nothing = Outcomes(np.zeros((0, 4, 4), np.int8), empty, empty, np.zeros(0, np.float32))
    assert worths(network(), 6, nothing).shape == (0,)
