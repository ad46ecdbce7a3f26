"""Storage of the agent of a run folder, without pickled data.

`agent.json` describes the network, its size and its training. `agent.safetensors` holds the weights of the network that
plays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from torch import nn

from baselines.learned.common.tensor_files import load_weights, read_tensors, write_tensors
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.size import NetworkSize
from baselines.registry import AGENT_FILE, AGENT_WEIGHTS_FILE
from baselines.support.files import write_json
from baselines.support.structs import Agent, read_as

WEIGHTS_FILE = AGENT_WEIGHTS_FILE
FORMAT = 3
CLICKS, AFTERSTATE = "clicks", "afterstate"
"""Kinds of agents: a network that rates clicks, and one that searches itself."""


def save_agent(folder: Path, network: nn.Module, size: NetworkSize, facts: dict[str, Any]) -> None:
    """Writes the agent of a run folder, and replaces an earlier one.

    Args:
        folder: the run folder.
        network: the network that plays, of either kind.
        size: its size.
        facts: further entries of the description, as JSON-able values.
    """
    write_tensors(folder / WEIGHTS_FILE, network.state_dict(), facts)
    # Last, since the description makes the folder loadable: it never exists without weights.
    description = {"format": FORMAT, "kind": _kind(network), "channels": size.channels, "depth": size.depth, **facts}
    write_json(folder / AGENT_FILE, description)


class Description(Agent):
    """Content of the `agent.json` of an agent of Minesweeper."""

    format: Literal[3]
    kind: Literal["clicks", "afterstate"]


def read_description(folder: Path) -> Description:
    """Returns the content of `agent.json` in a run folder.

    Raises:
        ValueError: it is missing, damaged or of another version; the message is one line.
    """
    return read_as(folder / AGENT_FILE, Description)


def kept_step(folder: Path) -> int | None:
    """Returns the step of the training at which the agent of a run folder was kept; None if there is no such agent."""
    try:
        return int(read_tensors(folder / WEIGHTS_FILE)[1]["selected_by"]["steps"])
    except (ValueError, KeyError, TypeError, OverflowError):
        return None


def load_network(folder: Path) -> nn.Module:
    """Returns the network of a run folder on the CPU.

    It is a `BoardNetwork` or an `AfterstateNetwork`, by the kind of the agent.

    Raises:
        ValueError: a file is missing, damaged or does not fit; the message is one line.
    """
    description = read_description(folder)
    try:
        size = NetworkSize(description.channels, description.depth)
    except ValueError as error:
        raise ValueError(f"{folder / AGENT_FILE} does not describe a network: {error}") from error
    network = _new_network(description.kind, size)
    try:
        load_weights(network, read_tensors(folder / WEIGHTS_FILE)[0])
    except ValueError as error:
        raise ValueError(f"{folder / WEIGHTS_FILE} cannot be used: {error}") from error
    return network


def _kind(network: nn.Module) -> str:
    return CLICKS if isinstance(network, BoardNetwork) else AFTERSTATE


def _new_network(kind: str, size: NetworkSize) -> nn.Module:
    if kind == CLICKS:
        return BoardNetwork.of_size(size)
    from baselines.learned.afterstate.network import AfterstateNetwork

    return AfterstateNetwork(size)
