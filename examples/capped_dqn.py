"""Play `dqn`, which trained on 8x8 alone, on larger boards: cap one plane of its input, and fit its safety to clues.

The plane holds the number of safe cells left, up to 64. On 16x30/99 it is at its end for most of a game, where 8x8/14
never goes. With a cap of 10, it says of every board that at most 10 safe cells are left.

Most games are then lost by a cell far from every clue that the network calls certain: 8x8 has no such cells.
`fitted_dqn` divides the log-odds by 4, and fits the risks of every board to the clues. This fit is inference written by
hand. `fit_alone` shows what it wins without any network, after 0 steps.

    python evaluate.py --policy dqn examples/capped_dqn.py:{capped_dqn,fitted_dqn,fit_alone} exact --size 16x30
"""

import numpy as np
from torch import Tensor, nn

from baselines.learned.afterstate.clues import fitted_safety
from baselines.learned.agents import LearnedPolicy, load_network
from baselines.learned.networks import FEW, PLANES, BoardNetwork, covered_cells
from baselines.learned.settings import NetworkSize
from baselines.registry import AGENTS_FOLDER
from minesweeper_env import BoardConfig

SAFE_CELLS = PLANES - FEW - 1
"""Index of the plane with the number of safe cells left, in 64ths."""


def capped_network(most: int) -> BoardNetwork:
    """Returns the network of `dqn` with the plane `SAFE_CELLS` capped at `most` cells."""

    def cap(_: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        planes = inputs[0].clone()  # (N, PLANES, rows, cols)
        planes[:, SAFE_CELLS].clamp_(max=most / 64)
        return (planes,)

    network: BoardNetwork = load_network(AGENTS_FOLDER / "dqn")
    network.get_submodule("trunk.tower.stem").register_forward_pre_hook(cap)
    return network


class FittedPolicy(LearnedPolicy):
    """Clicks the cell that is safest after the fit; before it, `soften` multiplies the log-odds of the network."""

    soften = 0.0

    def values(self, observations: np.ndarray) -> np.ndarray:
        """Returns the safety of all cells, (N, rows * cols) float32, for codes (N, rows, cols)."""
        logits = self.soften * super().values(observations) if self.soften else 0.0
        safety = covered_cells(observations) / (1 + np.exp(-logits))
        return fitted_safety(safety.astype(np.float32), observations, self.config.mines, certain=2.0)


def board_config(size: tuple[int, int], mines: int, first_click: str) -> BoardConfig:
    """Returns the configuration of a board that is played by clicks alone."""
    return BoardConfig(*size, mines, first_click=first_click, moves=("click",))


def capped_dqn(size: tuple[int, int], mines: int, first_click: str, most: int = 10) -> LearnedPolicy:
    """Returns `dqn` with the plane `SAFE_CELLS` capped at `most` cells."""
    return LearnedPolicy(capped_network(most), board_config(size, mines, first_click))


def fitted_dqn(
    size: tuple[int, int], mines: int, first_click: str, most: int = 10, soften: float = 0.25, first: str = "middle"
) -> FittedPolicy:
    """Returns `capped_dqn` with softened log-odds and its safety fitted to the clues."""
    policy = FittedPolicy(capped_network(most), board_config(size, mines, first_click), first=first)
    policy.soften = soften
    return policy


def fit_alone(size: tuple[int, int], mines: int, first_click: str, first: str = "middle") -> FittedPolicy:
    """Returns the policy that fits equal chances to the clues; it does not ask its network."""
    return FittedPolicy(BoardNetwork.of_size(NetworkSize(1, 1)), board_config(size, mines, first_click), first=first)
