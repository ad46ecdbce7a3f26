"""The adapter of PyTorch networks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support.policies import boards_in_play, click_config
from torch import nn

from baselines.adapters import TorchPolicy
from baselines.evaluation.games import play_games

BOARD = {"size": (4, 5), "mines": 3}
CONFIG = click_config(4, 5, 3)


def flat_network(actions=20):
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(13 * 20, actions))


def positions():
    boards = boards_in_play(CONFIG, 20)
    return boards, (boards > 8).reshape(len(boards), -1).astype(np.int8)


def planes_of(boards):
    return torch.as_tensor((boards[:, None] == np.arange(13)[:, None, None]).astype(np.float32))


@pytest.mark.parametrize("encoding", ["planes", "flat"])
def test_the_best_legal_action_of_a_network(encoding):
    network = flat_network()
    boards, masks = positions()
    policy = TorchPolicy(network, **BOARD, observation=encoding, batch_size=7)
    with torch.no_grad():
        outputs = network(planes_of(boards)).numpy()
    assert policy.name == "Sequential"
    assert policy.act(boards, masks).tolist() == np.where(masks == 1, outputs, -np.inf).argmax(axis=1).tolist()
    assert len(play_games(policy, CONFIG, range(20))) == 20


class Convolution(nn.Module):
    """Rates each cell by an embedding of its code; the boards may have any size."""

    def __init__(self, moves=1, shape="planes"):
        super().__init__()
        torch.manual_seed(1)
        self.shape = shape
        self.codes = nn.Embedding(13, 8)
        self.head = nn.Conv2d(8, moves, 3, padding=1)

    def forward(self, boards):
        outputs = self.head(self.codes(boards.long()).permute(0, 3, 1, 2))
        return {"planes": outputs, "rows": outputs[:, 0], "flat": outputs.flatten(1), "column": outputs[..., None]}[
            self.shape
        ]


@pytest.mark.parametrize("shape", ["planes", "rows", "flat"])
def test_outputs_of_every_shape_give_the_same_actions(shape):
    boards, masks = positions()
    expected = TorchPolicy(Convolution(), **BOARD).act(boards, masks)
    assert TorchPolicy(Convolution(shape=shape), **BOARD).act(boards, masks).tolist() == expected.tolist()


def test_a_network_of_clicks_and_flags_plays_both():
    policy = TorchPolicy(Convolution(moves=2), **BOARD, moves=("click", "flag"))
    assert policy.moves == ("click", "flag")
    records = play_games(policy, policy.config, range(5))
    assert len(records) == 5


@pytest.mark.parametrize(
    ("network", "more", "problem"),
    [
        (flat_network(128), {"observation": "flat"}, r"shape \(2, 128\) for 2 boards .* must be \(2, 20\)"),
        (flat_network(), {"observation": "flat", "moves": ("click", "flag")}, r"shape \(2, 20\) .* must be \(2, 40\)"),
        (
            Convolution(shape="column"),
            {},
            r"shape \(2, 1, 4, 5, 1\) .* must be \(2, 20\)",
        ),
        (flat_network(), {}, r"refused codes of shape \(2, 4, 5\) and torch.int8: "),
        (lambda boards: boards.numpy(), {}, "returns a ndarray; it must return one tensor"),
        (lambda boards: (boards, boards), {}, "returns a tuple; .* logits or Q-values alone"),
        (5, {}, "torch module or a function of tensors is needed, not int"),
    ],
)
def test_a_network_that_does_not_fit_is_refused_in_one_line(network, more, problem):
    with pytest.raises(ValueError, match=problem) as found:
        TorchPolicy(network, **BOARD, **more)
    assert "\n" not in str(found.value)


def test_a_function_of_tensors_is_a_network():
    policy = TorchPolicy(lambda boards: -boards.float().flatten(1), **BOARD)
    boards, masks = positions()
    assert policy.name == "<lambda>"
    assert policy.act(boards[:1], masks[:1])[0] == masks[0].argmax()


def test_the_number_of_mines_and_the_number_type_reach_the_network():
    seen = []

    def network(boards, mines):
        seen.append((boards.dtype, tuple(mines.shape), mines.dtype, float(mines[0])))
        return boards.flatten(1).float()

    TorchPolicy(network, **BOARD, mines_input=True, dtype=torch.int64)
    assert seen == [(torch.int64, (2,), torch.float32, 3.0)]


def test_sampled_actions_have_the_probabilities_of_the_outputs():
    outputs = torch.arange(20.0) / 5
    boards, masks = (np.repeat(each[-1:], 20_000, axis=0) for each in positions())
    policy = TorchPolicy(lambda boards: outputs.expand(len(boards), 20), **BOARD, deterministic=False)
    policy.reset(2)
    actions = policy.act(boards, masks)
    weights = outputs.exp().numpy() * masks[0]
    assert np.bincount(actions, minlength=20) / 20_000 == pytest.approx(weights / weights.sum(), abs=0.015)
    policy.reset(2)
    assert policy.act(boards, masks).tolist() == actions.tolist()


def test_play_leaves_the_mode_of_a_network_as_it_was():
    modes = []

    class Watched(Convolution):
        def forward(self, boards):
            modes.append(self.training)
            return super().forward(boards)

    network = Watched().train()
    boards, masks = positions()
    TorchPolicy(network, **BOARD).act(boards, masks)
    assert not any(modes)
    assert network.training
    network.eval()
    TorchPolicy(network, **BOARD)
    assert not network.training


def test_a_legal_action_is_chosen_even_when_its_output_is_minus_infinity():
    boards, masks = positions()
    outputs = torch.full((20,), -np.inf)
    policy = TorchPolicy(lambda boards: outputs.expand(len(boards), 20), **BOARD)
    assert masks[np.arange(len(boards)), policy.act(boards, masks)].all()


def test_the_network_moves_to_the_device():
    network = flat_network()
    policy = TorchPolicy(network, **BOARD, observation="flat", device="cpu")
    assert next(network.parameters()).device == torch.device("cpu")
    assert repr(policy) == "TorchPolicy(Sequential, 4x5 with moves click)"
    with pytest.raises(ValueError, match="batch_size must be a whole number of at least 1"):
        TorchPolicy(network, **BOARD, observation="flat", batch_size=0)
