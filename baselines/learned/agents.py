"""Agents in run folders: written without pickled data, and loaded as policies.

`agent.json` describes the network, its size and its training. `agent.safetensors` holds the weights of the network that
plays.
"""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from baselines.checks import whether
from baselines.files import write_json
from baselines.hub import AGENT_FILE, AGENT_WEIGHTS_FILE, MOST_BYTES
from baselines.learned import networks
from baselines.learned.common.tensor_files import load_weights, read_tensors, write_tensors
from baselines.learned.networks import BoardNetwork, single_precision
from baselines.learned.settings import PRECISIONS, NetworkSize
from baselines.policy import Policy, checked_act
from baselines.process import one_thread
from baselines.schemas import Agent, read_as
from baselines.scripted.oracle_play.exact import chosen_first_cell
from minesweeper_env.config import BoardConfig, one_of
from minesweeper_env.engine.games import keep_freed_memory

FORMAT = 3
BATCH = 1024
"""Boards in one pass of a network."""


def save_agent(folder: Path, network: Any, size: NetworkSize, facts: dict[str, Any]) -> None:
    """Writes both files of an agent to a run folder, over older ones; `facts` are JSON-able entries of agent.json."""
    description = {"format": FORMAT, "kind": network.kind, "channels": size.channels, "depth": size.depth, **facts}
    write_tensors(folder / AGENT_WEIGHTS_FILE, network.state_dict(), description)
    # Last, since the description makes the folder loadable: it never exists without weights.
    write_json(folder / AGENT_FILE, description)


@single_precision()
def load_network(folder: Path, precision: str = "float32") -> Any:
    """Returns the network of a run folder on the CPU, a `BoardNetwork` or an `AfterstateNetwork`.

    Raises a ValueError of one line if a file is missing or damaged, does not fit, or `precision` is unknown.
    """
    one_of("precision", precision, PRECISIONS)
    keep_freed_memory()
    description = read_as(folder / AGENT_FILE, Agent)
    new_network, _ = makers(description.kind)
    network = new_network(NetworkSize(description.channels, description.depth))
    try:
        weights, stored = read_tensors(folder / AGENT_WEIGHTS_FILE, MOST_BYTES)
        for name in ("kind", "channels", "depth"):  # No shape shows the depth. Some older files lack these keys.
            if stored.get(name, getattr(description, name)) != getattr(description, name):
                raise ValueError(f"its {name} is {stored[name]}, and {AGENT_FILE} says {getattr(description, name)}")
        load_weights(network, weights)
    except ValueError as error:
        raise ValueError(f"{folder / AGENT_WEIGHTS_FILE} cannot be used: {error}") from error
    networks.set_precision(network, precision)
    return network


class LearnedPolicy:
    """Clicks the legal cell with the highest output of the network; the first click follows a rule.

    Under most first-click rules all first clicks are equally safe, so a network that rates safety cannot choose. The
    middle opens the largest area on average.

    `network` is a network on any device, whose mode and weights stay unchanged, or a function that loads one at a
    `precision`, to compute on `device`. The games of `config` may differ from those of the training. With `symmetries`
    outputs are means over the symmetries of the board. `chosen_first_cell` lists the values of `first`.

    Raises:
        ValueError: an option is not allowed, or the network cannot be loaded.
    """

    batch_size = 500

    def __init__(
        self,
        network: BoardNetwork | Callable[[str], BoardNetwork],
        config: BoardConfig,
        symmetries: bool = False,
        precision: str = "float32",
        first: str | int = "middle",
        device: str = "cpu",
    ) -> None:
        networks.check_radius(config)
        self.config, self.symmetries = config, whether("symmetries", symmetries)
        device_name = networks.chosen_device(device)
        self.network = network if isinstance(network, nn.Module) else network(precision).to(device_name)
        self.first_cell = chosen_first_cell(config, first)

    def reset(self, seed: int) -> None:
        """Does nothing, since no choice is random."""

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses one click per board; see `baselines.policy.Policy.act`."""

        def choose(boards: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
            return np.where(legal, self.values(boards), -np.inf).argmax(axis=1)

        return networks.clicks_from(self.first_cell, observations, action_masks, choose)

    @one_thread()
    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Returns the network's outputs (N, rows * cols) float32 for codes (N, rows, cols)."""
        device, (rows, cols) = next(self.network.parameters()).device, observations.shape[1:]
        chosen = networks.symmetries(rows, cols)[: None if self.symmetries else 1]  # The first one is the identity.
        # The new cells of a symmetry, taken as an index, turn the output for a board back.
        symmetries = [(symmetry, networks.new_cells(rows, cols, symmetry, device)) for symmetry in chosen]
        outputs = []
        # By default a GPU rounds float32 to ten bits in convolutions. PyTorch refuses this flag beside its newer flags.
        flags, on_gpu = torch.backends.cudnn.flags, device.type == "cuda"
        with torch.no_grad(), flags(enabled=True, allow_tf32=False) if on_gpu else nullcontext():
            for start in range(0, len(observations), BATCH):
                boards = torch.as_tensor(observations[start : start + BATCH], device=device)
                views = ((networks.transform(boards, symmetry), cells) for symmetry, cells in symmetries)
                values = [self.network(view, self.config.mines)[:, cells] for view, cells in views]
                outputs.append(torch.stack(values).mean(dim=0).cpu().numpy())
        return np.concatenate(outputs)


def find_agent(folder: Path) -> Callable[..., Policy]:
    """Returns a function that makes policies of the agent in a run folder; it raises as `load_network` does."""
    description = read_as(folder / AGENT_FILE, Agent)
    _, new_policy = makers(description.kind, description.teacher)
    return partial(new_policy, partial(load_network, folder))


def makers(kind: str, teacher: str = "none") -> tuple[Callable[[NetworkSize], Any], Callable[..., Policy]]:
    """Returns the constructors of the networks of a kind, and of the policies that play them after such a teacher."""
    if kind == BoardNetwork.kind:
        return BoardNetwork.of_size, LearnedPolicy
    # Imported here, so that other agents load without afterstate.
    from baselines.learned.afterstate.network import AfterstateNetwork
    from baselines.learned.afterstate.policy import AfterstatePolicy

    # A teacher says nothing about first clicks, so its network rates them badly.
    return AfterstateNetwork, AfterstatePolicy if teacher == "none" else partial(AfterstatePolicy, first="exact")
