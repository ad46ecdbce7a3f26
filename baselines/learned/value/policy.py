"""`value`: the oracle says what is certain and how large each risk is, and a network what a risk is worth."""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray

from baselines.learned.value.guesses import Guesses
from baselines.learned.value.network import ValueNetwork
from baselines.scripted.endings import EndingPolicy
from baselines.scripted.exact import Boards, Cells
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference.forward import GIVEN_TOTAL
from minesweeper_env.inference.running import infer

SLACK = 0.12
"""How much more than the least risk a click may have to be considered."""

NOT_CONSIDERED = -1.0

CELLS_AT_ONCE = 1 << 15
"""The cells of the boards that the network is asked about at once, which bounds the memory."""

_TIE = 1e-6
"""Worths that differ by less are equal: they come from float32 sums whose order depends on the batch."""


def chances_to_win(network: ValueNetwork, guesses: Guesses) -> NDArray[np.float64]:
    """Returns the network's chance that the game is won once each cell has proved safe, (N, rows * cols)."""
    device = next(network.parameters()).device
    count, cells = len(guesses.codes), guesses.codes[0].size
    won = np.empty((count, cells))
    boards = max(1, CELLS_AT_ONCE // cells)
    for start in range(0, count, boards):
        part = slice(start, start + boards)
        codes = torch.from_numpy(guesses.codes[part]).to(device)
        chances, log_layouts = (
            torch.from_numpy(values[part].astype(np.float32)).to(device)
            for values in (guesses.chances, guesses.log_layouts)
        )
        with torch.no_grad():
            won[part] = torch.sigmoid(network(codes, chances, log_layouts).double()).cpu().numpy()
    return won


def worths_of_clicks(
    network: ValueNetwork, guesses: Guesses, legal: NDArray[np.bool_], slack: float = SLACK
) -> NDArray[np.float64]:
    """Returns the chance that each click is safe times the network's chance that the game is won then.

    Args:
        network: on any device.
        guesses: N boards.
        legal: (N, rows * cols), the clicks that are allowed; at least one on each board.
        slack: how much more than the least risk a click may have.

    Returns:
        (N, rows * cols); NOT_CONSIDERED where the risk is larger, or 1, or the click not allowed.
    """
    won = chances_to_win(network, guesses)
    risks = np.where(legal, guesses.chances.reshape(len(legal), -1), np.inf)
    considered = (risks <= risks.min(axis=1, keepdims=True) + slack) & (risks < 1.0)
    return np.where(considered, (1.0 - np.where(considered, risks, 0.0)) * won, NOT_CONSIDERED)


def best_clicks(worths: NDArray[np.float64]) -> Cells:
    """Returns the first of the best clicks of each board, (N,), by their worths, (N, rows * cols)."""
    cells: Cells = (worths >= worths.max(axis=1, keepdims=True) - _TIE).argmax(axis=1)
    return cells


class ValuePolicy(EndingPolicy):
    """Clicks what is certain, as `exact` does; at a risk, what is worth most, and the end of the game exactly.

    A click is worth the chance that it is safe times the chance that the game is won then: the oracle knows the first,
    and the network estimates the second. All is seen on the visible board. Nothing about the play is random.
    """

    games_at_once = 1000

    def __init__(
        self,
        config: BoardConfig,
        network: ValueNetwork,
        layouts: int = 1000,
        nodes: int = 100_000,
        slack: float = SLACK,
    ) -> None:
        """Prepares to play games of this configuration.

        Args:
            config: the games, of radius 1.
            network: what weighs the risks, on any device; it is used as it is.
            layouts: how many layouts, at most, are searched exactly; 0 for none.
            nodes: how many sets of layouts such a search examines before it takes the best it has found.
            slack: how much more than the least risk a click may have to be considered.

        Raises:
            ValueError: an option is not allowed; the message says what is.
        """
        if config.radius != 1:
            raise ValueError(f"a learned agent plays boards of radius 1, not {config.radius}")
        if isinstance(slack, bool) or not isinstance(slack, (int, float)) or not 0.0 <= slack < math.inf:
            raise ValueError(f"slack must be a number of at least 0, not {slack!r}")
        self._network, self._slack = network, float(slack)
        super().__init__(config, layouts, nodes)

    def _weigh(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> Cells:
        config = self.config
        codes = boards.reshape(-1, config.rows, config.cols)
        chances = np.empty(codes.shape)
        log_layouts = infer(codes, config.mines, config.radius, GIVEN_TOTAL, 0.0, chances)
        worths = worths_of_clicks(self._network, Guesses(codes, chances, log_layouts), legal, self._slack)
        chosen = best_clicks(worths)
        # Where all that is allowed is certainly a mine, one click is as good as another.
        return np.where(worths.max(axis=1) >= 0.0, chosen, clicks)
