"""Hindsight losses against a loop in plain Python."""

import math

import pytest
import torch

from baselines.learned.common.optimisation import hindsight_losses

OPEN, LEGAL = range(9), (10, 11)


def has_open_neighbour(codes, row, col):
    rows, cols = range(len(codes)), range(len(codes[0]))
    near = [(row + i, col + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if row + i in rows and col + j in cols]
    return any(codes[i][j] in OPEN for i, j in near)


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
    generator = torch.Generator().manual_seed(0)

    def draw(high, *shape):
        return torch.randint(high, shape, generator=generator)

    is_open = torch.rand((count, rows, cols), generator=generator) < torch.linspace(0, 1, count)[:, None, None]
    codes = torch.where(is_open, draw(9, count, rows, cols), 9 + draw(3, count, rows, cols)).to(torch.int8)
    safe = draw(2, count, rows * cols).to(torch.int8)
    safe[::3] = -1
    outputs = 2 * torch.randn((count, rows * cols), generator=generator)
    return outputs, codes, safe


@pytest.mark.parametrize("cap", [0.0, 0.5, 3.0, 64.0])
def test_hindsight_losses_are_those_of_a_loop_over_the_cells(cap):
    outputs, codes, safe = random_boards(60, 4, 6)
    found = hindsight_losses(outputs, codes, safe, cap)
    by_hand = [loss_by_hand(*board, cap) for board in zip(outputs.tolist(), codes.tolist(), safe.tolist(), strict=True)]
    assert found.shape == (60, 1)
    torch.testing.assert_close(found[:, 0], torch.tensor(by_hand), rtol=1e-5, atol=1e-5)
    assert (found[::3] == 0).all()
    assert (found[1:50:3] > 0).any()
