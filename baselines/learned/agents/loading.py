"""Loading of the agents in run folders, as policies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch import nn

from baselines.learned.agents.allocation import keep_freed_memory
from baselines.learned.agents.policy import LearnedPolicy
from baselines.learned.agents.storage import AFTERSTATE, CLICKS, load_network, read_description
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.precision import set_precision
from baselines.learned.networks.radius import check_radius
from baselines.learned.networks.size import MAX_DEPTH, PRECISIONS
from baselines.learned.settings.search_limits import GUESS_BREADTH, GUESS_SLACK, SURE
from baselines.policy import Policy
from baselines.support.checks import one_of, whether, whole_number_within
from minesweeper_env.config import BoardConfig


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
