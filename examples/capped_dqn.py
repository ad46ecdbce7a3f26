"""`dqn` on boards larger than it was trained on: the input plane of the safe cells left stays within its training.

On 8x8/14 that plane never exceeds 50 / 64. On 16x30/99 it is 1 for most of a game, which the network has never seen.

    python evaluate.py --policy dqn examples/capped_dqn.py:capped_dqn exact --size 16x30 --mines 99 --games 1000
"""

from __future__ import annotations

from torch import Tensor, nn

from baselines.learned.agents import LearnedPolicy, load_network
from baselines.learned.networks import FEW, PLANES
from baselines.registry import AGENTS_FOLDER
from minesweeper_env import BoardConfig

LEFT = PLANES - FEW - 1
"""Index of the plane with the number of safe cells left, in 64ths."""


def capped_dqn(size: tuple[int, int], mines: int, first_click: str, most: int = 50) -> LearnedPolicy:
    """Returns `dqn` with that plane capped at `most` cells."""

    def cap(_: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        planes = inputs[0].clone()
        planes[:, LEFT].clamp_(max=most / 64)
        return (planes,)

    network = load_network(AGENTS_FOLDER / "dqn")
    network.get_submodule("trunk.tower.stem").register_forward_pre_hook(cap)
    return LearnedPolicy(network, BoardConfig(*size, mines, first_click=first_click, moves=("click",)))
