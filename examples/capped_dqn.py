"""`dqn`, which trained on 8x8 boards alone, on larger ones: one plane of its input is capped.

The plane holds the number of safe cells left, up to 64. On 16x30/99 it is at its end for most of a game, where 8x8/14
never goes. With a cap of 10, it says of every board that at most 10 safe cells are left.

    python evaluate.py --policy dqn examples/capped_dqn.py:capped_dqn exact --size 16x30 --mines 99 --games 1000
"""

from torch import Tensor, nn

from baselines.learned.agents import LearnedPolicy, load_network
from baselines.learned.networks import FEW, PLANES
from baselines.registry import AGENTS_FOLDER
from minesweeper_env import BoardConfig

LEFT = PLANES - FEW - 1
"""Index of the plane with the number of safe cells left, in 64ths."""


def capped_dqn(size: tuple[int, int], mines: int, first_click: str, most: int = 10) -> LearnedPolicy:
    """Returns `dqn` with that plane capped at `most` cells."""

    def cap(_: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        planes = inputs[0].clone()
        planes[:, LEFT].clamp_(max=most / 64)
        return (planes,)

    network = load_network(AGENTS_FOLDER / "dqn")
    network.get_submodule("trunk.tower.stem").register_forward_pre_hook(cap)
    return LearnedPolicy(network, BoardConfig(*size, mines, first_click=first_click, moves=("click",)))
