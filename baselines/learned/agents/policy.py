"""Policy that plays by a trained `BoardNetwork`."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines.learned.agents.allocation import keep_freed_memory
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.masks import unopened
from baselines.learned.networks.symmetry import symmetries, transform, transform_cells
from baselines.scripted.oracle_play.first_click import chosen_first_cell, middle_cell
from baselines.support.act_inputs import checked_act
from baselines.support.threads import one_thread
from minesweeper_env.config import BoardConfig

BATCH = 1024


class LearnedPolicy:
    """Clicks the legal cell with the highest output of the network; the first click follows a rule.

    Under most first-click rules all cells are equally safe at first, so a network of safety cannot choose. The middle
    opens the largest area on average.

    Args:
        network: on any device; its mode and weights stay unchanged.
        mines: the number of mines on the boards.
        symmetries: whether to average the outputs over all rotations and reflections, 8 on a square and 4 otherwise,
            at that many times the cost.
        config: the games; None for boards of any size.
        first: the first click: "middle", "exact" as `exact` clicks, or a cell, row * cols + col. Boards of any size
            have "middle" alone.

    Raises:
        ValueError: `first` is not allowed.
    """

    batch_size = 500

    def __init__(
        self,
        network: BoardNetwork,
        mines: int,
        symmetries: bool = False,
        config: BoardConfig | None = None,
        first: str | int = "middle",
    ) -> None:
        """Stores the network, and checks `first`."""
        if config is None and first != "middle":
            raise ValueError(f"first must be middle on boards of any size, not {first!r}")
        self._first = None if config is None else chosen_first_cell(config, first)
        self.network = network
        self.config = config
        self.mines = mines
        self.symmetries = symmetries
        keep_freed_memory()

    def reset(self, seed: int) -> None:
        """Does nothing, since no choice is random.

        Args:
            seed: ignored.
        """

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses one click per board of any size; see `baselines.policy.Policy.act`."""
        rows, cols = observations.shape[1:]
        legal = action_masks[:, : rows * cols].astype(np.bool_)
        first = middle_cell(rows, cols) if self._first is None else self._first
        actions = np.full(len(observations), first)
        rated = np.flatnonzero(~(unopened(observations) & legal[:, first]))
        if len(rated) > 0:
            values = np.where(legal[rated], self.values(observations[rated]), -np.inf)
            actions[rated] = values.argmax(axis=1)
        return actions

    @one_thread()
    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Returns the network's outputs (N, rows * cols) float32 for codes (N, rows, cols)."""
        device = next(self.network.parameters()).device
        with torch.no_grad():
            outputs = [
                self._rate(torch.as_tensor(observations[start : start + BATCH], device=device)).cpu().numpy()
                for start in range(0, len(observations), BATCH)
            ]
        return np.concatenate(outputs)

    def _rate(self, boards: Tensor) -> Tensor:
        rows, cols = boards.shape[1:]
        chosen = symmetries(rows, cols) if self.symmetries else symmetries(rows, cols)[:1]
        cells = torch.arange(rows * cols, device=boards.device)
        rated = [
            self.network(transform(boards, symmetry), self.mines)[:, transform_cells(cells, rows, cols, symmetry)]
            for symmetry in chosen
        ]
        return torch.stack(rated).mean(dim=0)
