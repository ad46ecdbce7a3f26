"""Run folders with an agent: their files, and those that come with the package."""

from __future__ import annotations

from pathlib import Path

from baselines.hub.cache import DESCRIPTION, WEIGHTS, is_hub_name
from baselines.support.forwarded import local_path

AGENT_FILE = DESCRIPTION
"""The file that makes a folder a run folder; the path of a run folder is the name of a policy."""

AGENT_WEIGHTS_FILE = WEIGHTS
"""The weights of the agent in a run folder."""

CHECKPOINT_FILE = "checkpoint.safetensors"
"""The state of a training in a run folder, from which the training goes on."""

AGENTS_FOLDER = Path(__file__).parents[1] / "learned" / "weights"
"""The shipped agents: one run folder each, named after the agent."""


def agent_names() -> list[str]:
    """Returns the names of the shipped agents."""
    return sorted(path.parent.name for path in AGENTS_FOLDER.glob(f"*/{AGENT_FILE}"))


def agent_folder(name: str) -> Path | None:
    """Returns the run folder of an agent, or None if there is none.

    Args:
        name: name of a shipped agent, the path of a run folder, or an agent of the Hugging Face hub, which is
            downloaded.

    Raises:
        HubError: the agent of the hub cannot be had; a ValueError.
        MissingExtraError: the client of the hub is not installed.
    """
    if is_hub_name(name):
        from baselines.hub.cache import hub_folder

        copy = local_path(name)
        return copy if (copy / AGENT_FILE).is_file() else hub_folder(name)
    for folder in (AGENTS_FOLDER / name, local_path(name)):
        if (folder / AGENT_FILE).is_file():
            return folder
    return None
