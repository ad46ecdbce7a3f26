"""Losses on all covered cells against loops in plain Python."""

import math

import numpy as np
import pytest
import torch

from baselines.learned.common.optimisation import consistency_losses, hindsight_losses
from baselines.scripted.base import neighbour_sums

OPEN, LEGAL = range(9), (10, 11)


def has_open_neighbour(codes, row, col):
    near = [line[max(col - 1, 0) : col + 2] for line in codes[max(row - 1, 0) : row + 2]]
    return any(code in OPEN for codes in near for code in codes)


def cross_entropy(output, is_safe):
    probability = 1 / (1 + math.exp(-output))
    return -math.log(probability if is_safe else 1 - probability)


def loss_by_hand(outputs, codes, safe, cap):
    """Returns the hindsight loss of one board: outputs and safe by cell, codes by row and column."""
    cols = len(codes[0])
    losses = {True: [], False: []}
    for cell, output in enumerate(outputs):
        row, col = divmod(cell, cols)
        if safe[cell] >= 0 and codes[row][col] in LEGAL:
            losses[has_open_neighbour(codes, row, col)].append(cross_entropy(output, safe[cell] == 1))
    isolated = losses[False]
    weight = min(1.0, cap / len(isolated)) if isolated else 0.0
    return sum(losses[True]) + weight * sum(isolated)


def random_boards(count, rows, cols):
    """Returns codes with fractions of open cells from none to all, and outcomes; every third board has none."""
    torch.manual_seed(0)
    shape = (count, rows, cols)
    is_open = torch.rand(shape) < torch.linspace(0, 1, count)[:, None, None]
    codes = torch.where(is_open, torch.randint(9, shape), torch.randint(9, 12, shape)).to(torch.int8)
    safe = torch.randint(2, (count, rows * cols), dtype=torch.int8)
    safe[::3] = -1
    return 2 * torch.randn((count, rows * cols)), codes, safe


@pytest.mark.parametrize("cap", [0.0, 0.5, 3.0, 64.0])
def test_hindsight_losses_are_those_of_a_loop_over_the_cells(cap):
    outputs, codes, safe = random_boards(60, 4, 6)
    found = hindsight_losses(outputs, codes, safe, cap)
    by_hand = [loss_by_hand(*board, cap) for board in zip(outputs.tolist(), codes.tolist(), safe.tolist(), strict=True)]
    assert found.shape == (60, 1)
    torch.testing.assert_close(found[:, 0], torch.tensor(by_hand), rtol=1e-5, atol=1e-5)
    assert (found[::3] == 0).all()
    assert (found[1:50:3] > 0).any()


def inconsistency_by_hand(outputs, codes, mines):
    """Returns the consistency loss of one board: outputs by cell, codes by row and column."""
    cols = len(codes[0])
    risks = {divmod(cell, cols): 1 / (1 + math.exp(output)) for cell, output in enumerate(outputs)}
    risks = {(row, col): risk for (row, col), risk in risks.items() if codes[row][col] not in OPEN}
    loss = 0.1 * (sum(risks.values()) - mines) ** 2
    for row, line in enumerate(codes):
        for col, code in enumerate(line):
            if code in OPEN:
                near = [risk for (i, j), risk in risks.items() if max(abs(i - row), abs(j - col)) == 1]
                loss += (sum(near) - code) ** 2
    return loss


def test_consistency_losses_are_those_of_a_loop_over_the_cells():
    outputs, codes, _ = random_boards(60, 4, 6)
    found = consistency_losses(outputs, codes, 5)
    by_hand = [inconsistency_by_hand(*board, 5) for board in zip(outputs.tolist(), codes.tolist(), strict=True)]
    assert found.shape == (60, 1)
    torch.testing.assert_close(found[:, 0], torch.tensor(by_hand), rtol=1e-5, atol=1e-4)


def started_boards():
    """Returns boards (40, 5, 6) of random layouts of 9 mines, with some safe cells open."""
    rng = np.random.default_rng(0)
    layouts = rng.permuted(np.tile(np.arange(30) < 9, (40, 1)), axis=1).reshape(40, 5, 6)
    is_open = ~layouts & (rng.random(layouts.shape) < 0.2)
    return np.where(is_open, neighbour_sums(layouts, 1), 11).astype(np.int8)


def test_the_gradient_of_consistency_is_finite_and_leads_to_consistent_risks():
    codes = torch.as_tensor(started_boards())
    outputs = torch.zeros(40, 30)
    outputs[:, ::7], outputs[:, 1::7] = 200.0, -200.0
    for _ in range(200):
        outputs.requires_grad_()
        losses = consistency_losses(outputs, codes, 9)
        (gradient,) = torch.autograd.grad(losses.sum(), outputs)
        assert gradient.isfinite().all()
        assert (gradient[codes.reshape(40, -1) < 9] == 0).all()
        outputs = (outputs - 0.5 * gradient).detach()
    assert losses.mean() < 0.5 * consistency_losses(torch.zeros(40, 30), codes, 9).mean()
