"""A run folder's agent: the file that describes it and the weights, nothing of which is ever unpickled.

`agent.json` says how large the network is and what it was trained on; `agent.safetensors` holds the weights of
the network that plays, and nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from baselines.learned.files import read_json, read_tensors, write_json, write_tensors
from baselines.learned.network import BoardNetwork, NetworkSize
from baselines.learned.policy import LearnedPolicy
from minesweeper_env.config import BoardConfig

AGENT_FILE, WEIGHTS_FILE = "agent.json", "agent.safetensors"
FORMAT = 1


def save_agent(folder: Path, network: BoardNetwork, size: NetworkSize, facts: dict[str, Any]) -> None:
    """Writes the agent of a run folder, in place of the one before.

    Args:
        folder: the run folder.
        network: what plays.
        size: its size.
        facts: what else is worth knowing, as JSON-able values.
    """
    write_tensors(folder / WEIGHTS_FILE, network.state_dict(), facts)
    # Second, since the description is what makes the folder a run folder: there is never one without weights.
    description = {"format": FORMAT, "channels": size.channels, "blocks": size.blocks, **facts}
    write_json(folder / AGENT_FILE, description)


def load_agent(folder: Path) -> BoardNetwork:
    """Returns the network of a run folder, on the CPU.

    Raises:
        ValueError: a file is missing, damaged or does not fit; the message is one line.
    """
    description = read_json(folder / AGENT_FILE)
    if description.get("format") != FORMAT:
        raise ValueError(f"{folder / AGENT_FILE} has format {description.get('format')!r}, and only {FORMAT} is known")
    try:
        size = NetworkSize(description["channels"], description["blocks"])
    except (KeyError, ValueError) as error:
        raise ValueError(f"{folder / AGENT_FILE} does not describe a network: {error}") from error
    network = BoardNetwork.of_size(size)
    try:
        load_weights(network, read_tensors(folder / WEIGHTS_FILE)[0])
    except ValueError as error:
        raise ValueError(f"{folder / WEIGHTS_FILE} cannot be used: {error}") from error
    return network


def load_weights(network: Any, weights: dict[str, Any]) -> None:
    """Puts weights into a network.

    Raises:
        ValueError: names or shapes are not those of the network.
    """
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    if found != expected:
        differing = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
        raise ValueError(f"the weights do not fit the network: {', '.join(differing[:3])}")
    network.load_state_dict(weights)


def load_policy(folder: Path, config: BoardConfig, symmetries: bool = False) -> LearnedPolicy:
    """Returns the agent of a run folder as a policy for any board of radius 1.

    Args:
        folder: the run folder.
        config: the board to play on, which may be another than the agent was trained on.
        symmetries: as `LearnedPolicy` has it.

    Raises:
        ValueError: a file is missing, damaged or does not fit, or the radius is another; one line.
    """
    return policy_of(load_agent(Path(folder)), config, symmetries)


def policy_of(network: BoardNetwork, config: BoardConfig, symmetries: bool = False) -> LearnedPolicy:
    """Returns the policy that plays a board by a network.

    Raises:
        ValueError: the radius is not 1.
    """
    if config.radius != 1:
        raise ValueError(f"a learned agent plays boards of radius 1, not {config.radius}")
    return LearnedPolicy(network, symmetries)
