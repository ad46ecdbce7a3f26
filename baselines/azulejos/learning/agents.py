"""Agents that have learned: a policy for boards of any size, and its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from azulejos_env.position import Position
from baselines.azulejos.learning.network import AzulejosNetwork
from baselines.azulejos.learning.observations import legal_moves, observe
from baselines.learned.agents.allocation import keep_freed_memory
from baselines.learned.common.tensor_files import read_tensors, write_tensors
from baselines.learned.common.weights import load_weights
from baselines.learned.networks.size import NetworkSize
from baselines.support.files import read_json, write_json
from baselines.support.run_folders import AGENT_FILE, AGENT_WEIGHTS_FILE

FORMAT = 1
KIND = "azulejos"
"""Kind of the agents in their description."""

CELLS = 1 << 16
"""Largest number of cells that go through the network at once."""


class AzulejosAgent:
    """Removes the group that the network rates highest; a policy of `azulejos_env.policies`.

    The moves depend on the position alone. Boards may have any size, and as many colours as the network knows.

    Args:
        network: on any device; its weights stay unchanged.
    """

    def __init__(self, network: AzulejosNetwork) -> None:
        """Stores the network."""
        self.network = network
        keep_freed_memory()

    def reset(self, seed: int) -> None:
        """Does nothing, since no choice is random."""

    def choose(self, position: Position) -> tuple[int, int]:
        """Returns the (row, col) of the first cell of the group to remove.

        Raises:
            ValueError: the game is over, or the board has too many colours.
        """
        return self.choose_all([position])[0]

    def choose_all(self, positions: Sequence[Position]) -> list[tuple[int, int]]:
        """Returns the moves in positions under the same rules, as `choose` does.

        Raises:
            ValueError: a game is over, or a board has too many colours.
        """
        if not positions:
            return []
        boards = np.stack([position.board for position in positions])
        scores = [(p.scores[p.player], p.scores[1 - p.player]) for p in positions]
        config = positions[0].config
        actions = self.act(boards, np.array(scores, np.int64), config)
        return [divmod(action, config.cols) for action in actions.tolist()]

    def act(
        self, boards: NDArray[np.int8], scores: NDArray[np.int64], config: GameConfig | None = None
    ) -> NDArray[np.int64]:
        """Chooses a move in each of N positions.

        Args:
            boards: (N, rows, cols) int8 colours, 0 for an empty cell; the tiles have fallen.
            scores: (N, 2) integers, the score of the player to move and that of the other.
            config: the rules; None for the usual ones.

        Returns:
            (N,) int64, row * cols + col of the first cell of the group in reading order.

        Raises:
            ValueError: a game is over, or a board has too many colours.
        """
        if boards.size and boards.max() > self.network.colours:
            raise ValueError(f"this agent plays boards of 1 to {self.network.colours} colours, not {boards.max()}")
        rows, cols = boards.shape[1:]
        seen = observe(boards, scores, config or GameConfig(rows, cols))
        legal = legal_moves(seen)
        if not legal.any(axis=1).all():
            raise ValueError("the game is over: there is no group to remove")
        return np.where(legal, self._rate(seen), -np.inf).argmax(axis=1)

    def _rate(self, seen: NDArray[np.int32]) -> NDArray[np.float32]:
        """Returns the outputs of the network, (N, rows * cols)."""
        count, cells = len(seen), seen.shape[2] * seen.shape[3]
        batch, device = max(CELLS // cells, 1), next(self.network.parameters()).device
        outputs = np.empty((count, cells), np.float32)
        with torch.no_grad():
            for start in range(0, count, batch):
                part = torch.as_tensor(seen[start : start + batch], device=device)
                outputs[start : start + batch] = self.network(part).cpu().numpy()
        return outputs


def save_agent(folder: Path, network: AzulejosNetwork, size: NetworkSize, facts: dict[str, Any]) -> None:
    """Writes the agent of a run folder, and replaces an earlier one.

    Args:
        folder: the run folder.
        network: the network that plays.
        size: its size.
        facts: further entries of the description, as JSON-able values.
    """
    write_tensors(folder / AGENT_WEIGHTS_FILE, network.state_dict(), facts)
    own = {"format": FORMAT, "kind": KIND, "channels": size.channels, "depth": size.depth, "colours": network.colours}
    # Last, since the description makes the folder loadable: it never exists without weights.
    write_json(folder / AGENT_FILE, {**own, **facts})


def load_agent(folder: Path) -> AzulejosAgent:
    """Returns the agent of a run folder, on the CPU.

    Raises:
        ValueError: a file is missing, damaged or describes no agent of this game; the message is one line.
    """
    return AzulejosAgent(load_network(folder))


def load_network(folder: Path) -> AzulejosNetwork:
    """Returns the network of a run folder, on the CPU; raises as `load_agent` does."""
    path = folder / AGENT_FILE
    description = read_json(path)
    if description.get("kind") != KIND:
        raise ValueError(f"{path} describes no agent of Azulejos, which train.py --env Azulejos-v0 writes")
    if description.get("format") != FORMAT:
        raise ValueError(f"{path} has format {description.get('format')!r}, and only {FORMAT} is known")
    try:
        size = NetworkSize(description["channels"], description["depth"])
        network = AzulejosNetwork.of_size(size, description["colours"])
    except (KeyError, ValueError, TypeError) as error:
        raise ValueError(f"{path} does not describe a network: {error}") from error
    try:
        load_weights(network, read_tensors(folder / AGENT_WEIGHTS_FILE)[0])
    except ValueError as error:
        raise ValueError(f"{folder / AGENT_WEIGHTS_FILE} cannot be used: {error}") from error
    return network
