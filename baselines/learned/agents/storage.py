"""A run folder's agent: the file that describes it and the weights, nothing of which is ever unpickled.

`agent.json` says of which kind and how large the network is and what it was trained on; `agent.safetensors` holds the
weights of the network that plays, and nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import nn

from baselines.learned.common.tensor_files import read_json, read_tensors, write_json, write_tensors
from baselines.learned.common.weights import load_weights
from baselines.learned.networks.board import BoardNetwork, NetworkSize

AGENT_FILE, WEIGHTS_FILE = "agent.json", "agent.safetensors"
FORMAT = 3
CLICKS, WINS, VALUE = "clicks", "wins", "value"
"""The kinds of agents: a network that rates clicks, one that does so by two heads, and one that rates boards beside the
oracle."""

KINDS = (CLICKS, WINS, VALUE)


def save_agent(folder: Path, network: nn.Module, size: NetworkSize, facts: dict[str, Any]) -> None:
    """Writes the agent of a run folder, in place of the one before.

    Args:
        folder: the run folder.
        network: what plays, of either kind.
        size: its size.
        facts: what else is worth knowing, as JSON-able values.
    """
    write_tensors(folder / WEIGHTS_FILE, network.state_dict(), facts)
    # Second, since the description is what makes the folder a run folder: there is never one without weights.
    description = {"format": FORMAT, "kind": _kind(network), "channels": size.channels, "depth": size.depth, **facts}
    write_json(folder / AGENT_FILE, description)


def read_description(folder: Path) -> dict[str, Any]:
    """Returns what `agent.json` says of the agent in a run folder.

    Raises:
        ValueError: it is missing, damaged or of another version; the message is one line.
    """
    description = read_json(folder / AGENT_FILE)
    if description.get("format") != FORMAT:
        raise ValueError(f"{folder / AGENT_FILE} has format {description.get('format')!r}, and only {FORMAT} is known")
    if description.get("kind") not in KINDS:
        raise ValueError(f"{folder / AGENT_FILE} must be of kind {', '.join(KINDS)}, not {description.get('kind')!r}")
    return description


def load_network(folder: Path) -> nn.Module:
    """Returns the network of a run folder, on the CPU: a `BoardNetwork`, or a `ValueNetwork` for agents of that kind.

    Raises:
        ValueError: a file is missing, damaged or does not fit; the message is one line.
    """
    description = read_description(folder)
    try:
        size = NetworkSize(description["channels"], description["depth"])
    except (KeyError, ValueError) as error:
        raise ValueError(f"{folder / AGENT_FILE} does not describe a network: {error}") from error
    network = _new_network(description["kind"], size)
    try:
        load_weights(network, read_tensors(folder / WEIGHTS_FILE)[0])
    except ValueError as error:
        raise ValueError(f"{folder / WEIGHTS_FILE} cannot be used: {error}") from error
    return network


def _kind(network: nn.Module) -> str:
    if not isinstance(network, BoardNetwork):
        return VALUE
    return CLICKS if network.worth is None else WINS


def _new_network(kind: str, size: NetworkSize) -> nn.Module:
    if kind in (CLICKS, WINS):
        return BoardNetwork.of_size(size, worth=kind == WINS)
    from baselines.learned.value.network import ValueNetwork

    return ValueNetwork(size)
