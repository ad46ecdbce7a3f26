"""Loading of the agents in run folders, as policies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from baselines.learned.agents.allocation import keep_freed_memory
from baselines.learned.agents.storage import AFTERSTATE, CLICKS, load_network, read_description
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.masks import unopened
from baselines.learned.networks.precision import set_precision
from baselines.learned.networks.size import MAX_DEPTH, PRECISIONS, check_radius
from baselines.learned.networks.symmetry import symmetries, transform, transform_cells
from baselines.learned.settings.hyperparameters import GUESS_BREADTH, GUESS_SLACK, SURE
from baselines.policy import Policy
from baselines.scripted.oracle_play.exact import chosen_first_cell, middle_cell
from baselines.support.act_inputs import checked_act
from baselines.support.checks import one_of, whether, whole_number_within
from baselines.support.processes import one_thread
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


class ClickAgent:
    """Agent of PPO or DQN in a run folder; a call returns its policy for a board of any size."""

    def __init__(self, folder: Path) -> None:
        """Stores the folder; a call loads the files."""
        self._folder = folder

    def __call__(
        self, config: BoardConfig, symmetries: bool = False, precision: str = "float32", first: str | int = "middle"
    ) -> Policy:
        """Loads the agent.

        Args:
            config: the board; it may differ from the boards of the training.
            symmetries: see `LearnedPolicy`.
            precision: number format of the convolutions, "float32" or "bfloat16".
            first: see `LearnedPolicy`.

        Raises:
            ValueError: a file is missing, damaged or does not fit, or an option or the radius is not allowed.
        """
        whether("symmetries", symmetries)
        one_of("precision", precision, PRECISIONS)
        network = load_network(self._folder)
        set_precision(network, precision)
        return policy_of(network, config, symmetries, first)


class AfterstateAgent:
    """Agent of `afterstate` in a run folder; a call returns its policy for a board of any size."""

    def __init__(self, folder: Path) -> None:
        """Stores the folder; a call loads the files."""
        self._folder = folder

    def __call__(
        self,
        config: BoardConfig,
        slack: float = GUESS_SLACK,
        breadth: int = GUESS_BREADTH,
        sure: float = SURE,
        first: str | int = "learned",
        symmetries: bool = True,
        safety: str = "learned",
        clues: bool = True,
        onward: bool = True,
        depth: int = 0,
        precision: str = "float32",
    ) -> Policy:
        """Loads the agent; see `baselines.learned.afterstate.policy.AfterstatePolicy` for the first eight options.

        Args:
            config: the board; it may differ from the boards of the training.
            slack: see there.
            breadth: see there.
            sure: see there.
            first: see there.
            symmetries: see there.
            safety: see there.
            clues: see there.
            onward: see there.
            depth: number of applications of the network's block; 0 for the one of the training.
            precision: number format of the convolutions, "float32" or "bfloat16".

        Raises:
            ValueError: a file is missing, damaged or does not fit, or an option or the radius is not allowed.
        """
        from baselines.learned.afterstate.policy import AfterstatePolicy

        one_of("precision", precision, PRECISIONS)
        whole_number_within("depth", depth, 0, MAX_DEPTH)
        network: Any = load_network(self._folder)
        set_precision(network, precision)
        keep_freed_memory()
        for tower in network.towers:
            tower.depth = depth or tower.depth
        return AfterstatePolicy(config, network, slack, breadth, sure, first, symmetries, safety, clues, onward)


_AGENTS: dict[str, Callable[[Path], Callable[..., Policy]]] = {
    CLICKS: ClickAgent,
    AFTERSTATE: AfterstateAgent,
}
"""Loaders of agents, by kind."""


def find_agent(folder: Path) -> Callable[..., Policy]:
    """Returns the agent of a run folder; calling it with a board returns a policy.

    Raises:
        ValueError: the description is missing or damaged; the message is one line.
    """
    return _AGENTS[read_description(folder).kind](folder)


def policy_of(network: nn.Module, config: BoardConfig, symmetries: bool = False, first: str | int = "middle") -> Policy:
    """Returns the policy of a network of any kind on a board.

    Args:
        network: of clicks or of `afterstate`.
        config: the board.
        symmetries: see `LearnedPolicy`; networks of other kinds ignore it.
        first: likewise.

    Raises:
        ValueError: the radius is not 1, or `first` is not allowed.
    """
    check_radius(config)
    if isinstance(network, BoardNetwork):
        return LearnedPolicy(network, config.mines, symmetries, config, first)
    from baselines.learned.afterstate.network import AfterstateNetwork
    from baselines.learned.afterstate.policy import AfterstatePolicy

    assert isinstance(network, AfterstateNetwork)
    return AfterstatePolicy(config, network)
