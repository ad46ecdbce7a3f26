"""The optimiser: steps on matrices with equal singular values, Adam elsewhere."""

import pytest
import torch
from support.tiny_training import one_thread  # noqa: F401 - a fixture
from torch import nn

from baselines.learned.common.optimisation import RATE, Muon, orthogonalise
from baselines.learned.networks import BoardNetwork
from baselines.learned.settings import NetworkSize


@pytest.mark.parametrize("shape", [(8, 72), (72, 8), (16, 16), (2, 3)])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_orthogonalising_keeps_directions_and_levels_singular_values(shape, scale):
    torch.manual_seed(1)
    left, values, right = torch.linalg.svd(scale * torch.randn(shape), full_matrices=False)
    result = orthogonalise(left @ torch.diag(values) @ right)
    levelled = left.T @ result @ right.T
    torch.testing.assert_close(levelled, torch.diag(levelled.diagonal()), atol=1e-3, rtol=0)
    assert 0.6 < levelled.diagonal().min() <= levelled.diagonal().max() < 1.3


def test_matrices_are_weights_with_several_inputs_and_outputs():
    network = BoardNetwork.of_size(NetworkSize(8, 2))
    optimiser = Muon(network.parameters())
    network(torch.zeros(1, 3, 3), 2).sum().backward()
    optimiser.step()
    others = {name for name, parameter in network.named_parameters() if "momentum" not in optimiser.state[parameter]}
    assert others == {name for name, _ in network.named_parameters() if name.endswith("bias")} | {"head.layer.weight"}


def test_what_is_no_matrix_moves_as_by_adam():
    torch.manual_seed(2)
    mine, theirs = nn.Parameter(torch.randn(7)), nn.Parameter(torch.zeros(7))
    theirs.data.copy_(mine.data)
    optimisers = Muon([mine], lr=0.1), torch.optim.Adam([theirs], lr=0.1)
    for step in range(20):
        for parameter, optimiser in zip((mine, theirs), optimisers, strict=True):
            optimiser.zero_grad()
            ((parameter - step) ** 4).sum().backward()
            optimiser.step()
    torch.testing.assert_close(mine, theirs)


def test_a_first_step_on_a_matrix_by_hand():
    weight = nn.Parameter(torch.zeros(4, 2, 1, 1))
    gradient = torch.tensor([[3.0, 0.0], [0.0, 0.01], [0.0, 0.0], [0.0, 0.0]])
    weight.grad = gradient.reshape(4, 2, 1, 1).clone()
    Muon([weight], lr=0.01).step()
    moved = -weight.detach().reshape(4, 2) / (0.01 * RATE * 2**0.5)
    # The common and the rare direction have equal lengths, up to the error of the iterations.
    assert all(0.6 < moved[each, each] < 1.3 for each in (0, 1))
    moved[0, 0] = moved[1, 1] = 0
    assert moved.abs().max() < 1e-3


def test_parameters_without_a_gradient_stay():
    parameter = nn.Parameter(torch.ones(3, 3))
    optimiser = Muon([parameter])
    optimiser.step()
    assert torch.equal(parameter, torch.ones(3, 3))
    assert not optimiser.state


def test_weight_decay_shrinks_matrices_by_their_rate_and_nothing_else():
    matrix, bias = nn.Parameter(torch.ones(3, 3)), nn.Parameter(torch.ones(3))
    matrix.grad, bias.grad = torch.zeros(3, 3), torch.zeros(3)
    optimiser = Muon([matrix, bias], lr=0.01, weight_decay=0.1)
    for _ in range(2):
        optimiser.step()
    torch.testing.assert_close(matrix.detach(), torch.full((3, 3), (1 - 0.01 * RATE * 0.1) ** 2))
    assert torch.equal(bias, torch.ones(3))
