"""Network of `afterstate`: recurrent towers with recall, and heads of safety, counts and worth."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from baselines.learned import networks
from baselines.learned.common.tensor_files import Tensors, load_weights
from baselines.learned.networks import PLANES, BoardNetwork, RecurrentTower, Tower
from baselines.learned.settings import NetworkSize

COUNTS = networks.MAX_COUNT + 1
"""Number of counts that a safe cell can show, 0 to 8."""

_FIRST_HAZARD = -4.5
"""Bias of the last layer of a new worth head; a board of 50 covered cells begins with a worth of about 0.6."""


class RecallTower(RecurrentTower):
    """Applies one residual block again and again, and feeds the input planes in at every application.

    Without this recall a network forgets its input when it is applied more often than in training (Bansal et al. 2022,
    "End-to-end algorithm synthesis with recurrent networks"). The map of the planes is the same each time, so it is
    computed once. Training draws the depth for each minibatch.
    """

    def __init__(self, size: NetworkSize) -> None:
        super().__init__(size)
        self.recall = nn.Conv2d(PLANES, size.channels, 3, padding=1)
        self.first = nn.Conv2d(size.channels, size.channels, 3, padding=1, bias=False)
        self.second = nn.Conv2d(size.channels, size.channels, 3, padding=1)
        self.pooling = networks.GlobalPooling(size.channels)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, codes: Tensor, mines: int) -> Tensor:
        """Maps boards, as `board_planes` takes them, to features, (N, channels, rows, cols) in `dtype`."""
        planes = networks.board_planes(codes, mines)
        with self.autocast(planes):
            features, recalled = torch.relu_(self.stem(planes)), self.recall(planes)
            for _ in range(self.depth):
                changes = self.second(torch.relu_(self.first(features).add_(recalled)))
                features = self.pooling(changes.add_(features))
        return features


class NeighbourHead(nn.Module):
    """Maps features (N, channels, rows, cols) to numbers for each cell and its neighbours, (N, outputs, rows, cols)."""

    def __init__(self, channels: int, outputs: int) -> None:
        super().__init__()
        self.hidden = nn.Conv2d(channels, channels, 3, padding=1)
        self.layer = nn.Conv2d(channels, outputs, 1)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, features: Tensor) -> Tensor:
        """Maps features to numbers."""
        values: Tensor = self.layer(torch.relu_(self.hidden(features)))
        return values


class AfterstateNetwork(nn.Module):
    """Maps codes and the number of mines to safety and counts, and afterstates to their worth.

    It has two towers, because a common tower learns safety worse. The worth has few and noisy targets, one outcome per
    game; safety and counts have one target per cell.

    The worth of a board, the probability of winning, is exp(-sum of the hazards of its covered cells): a won game is
    the product of independent pieces of luck in different places, and the same weights fit boards of any size.

    Attributes:
        tower: maps boards to the features of safety and counts.
        worth_tower: maps boards to the features of the worth.
        safety: head of the probability that a cell is safe.
        counts: head of the count that a safe cell shows.
        worth: head of the hazards. It learns afterstates alone: boards where the last click shows its count and has
            opened nothing else yet (Sutton and Barto 2018, section 6.8).
    """

    kind = "afterstate"

    def __init__(self, size: NetworkSize) -> None:
        super().__init__()
        self.tower = RecallTower(size)
        self.worth_tower = RecallTower(size)
        self.safety = networks.cell_head(size.channels)
        self.counts = NeighbourHead(size.channels, COUNTS)
        self.worth = NeighbourHead(size.channels, 1)
        # Small weights, so that all boards begin about equal.
        nn.init.normal_(self.worth.layer.weight, std=0.02)
        nn.init.constant_(self.worth.layer.bias, _FIRST_HAZARD)  # type: ignore[arg-type]

    @property
    def towers(self) -> tuple[RecallTower, RecallTower]:
        """Both towers."""
        return self.tower, self.worth_tower

    def begin_with(self, network: BoardNetwork) -> None:
        """Copies trunk and head of a network of safety; the recall begins without effect, so safety stays as it is."""
        given = network.trunk["tower"]
        assert isinstance(given, Tower)
        for tower in self.towers:
            load_weights(tower, _with_recall(given))
        load_weights(self.safety, network.head.state_dict())

    def safety_logits(self, features: Tensor) -> Tensor:
        """Returns the logits that each covered cell is safe, (N, n) float32, for features of `tower`."""
        # In bfloat16 logits of certain cells would tie.
        logits: Tensor = self.safety(features.float())
        return logits

    def count_logits(self, features: Tensor) -> Tensor:
        """Returns the logits of the count that each cell shows if safe, (N, COUNTS, n) float32, likewise."""
        with self.tower.autocast(features):
            logits: Tensor = self.counts(features)
        return logits.flatten(start_dim=2).float()

    def hazards(self, codes: Tensor, mines: int) -> Tensor:
        """Returns how much each covered cell lowers the logarithm of the worth, (N, rows, cols) float32; 0 if open."""
        features = self.worth_tower(codes, mines)
        with self.worth_tower.autocast(features):
            hazards: Tensor = functional.softplus(self.worth(features).float())[:, 0] * (codes > networks.MAX_COUNT)
        return hazards


def _with_recall(tower: Tower) -> Tensors:
    """Returns the weights of the `RecallTower` that computes the same as a tower without recall."""
    convolutions, pooling = tower.block
    given = convolutions.state_dict()
    weights = {f"stem.{name}": tensor for name, tensor in tower.stem.state_dict().items()}
    weights |= {"first.weight": given["first.weight"], "recall.bias": given["first.bias"]}
    weights["recall.weight"] = torch.zeros_like(tower.stem.weight)
    weights |= {name: given[name] for name in ("second.weight", "second.bias")}
    return weights | {f"pooling.{name}": tensor for name, tensor in pooling.state_dict().items()}
