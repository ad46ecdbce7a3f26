"""Files of a run folder that are sent to the hub, checked before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from baselines.hub.names import LIMITS, MIB, RUN, is_hub_name
from baselines.support.extras import import_extra
from baselines.support.run_folders import AGENT_FILE, agent_folder, agent_names
from baselines.support.structs import Agent, Run, read_as

CARD, CURVES = "README.md", "curves.png"
_PNG = b"\x89PNG\r\n"


def find_run_folder(agent: str) -> Path:
    """Returns the folder of an agent.

    Args:
        agent: the path of a run folder, or the name of a shipped agent.

    Raises:
        ValueError: there is no such folder, or it holds no agent.
    """
    folder = None if is_hub_name(agent) else agent_folder(agent)
    if folder is None:
        raise ValueError(
            f"{agent} is no run folder with {AGENT_FILE}, and no shipped agent ({', '.join(agent_names())})"
        )
    return folder


def read_contents(folder: Path) -> dict[str, bytes]:
    """Returns the files of an agent that are sent, without its card; others in the folder stay.

    The agent is loaded once, so that only one that plays is sent.

    Raises:
        ValueError: a file is missing, damaged, of another kind or too large; the message is one line.
        MissingExtraError: a package that loads the agent is not installed.
    """
    paths = [folder / name for name in LIMITS if name != CARD and (folder / name).is_file()]
    for path in paths:
        if path.stat().st_size > LIMITS[path.name]:
            size = path.stat().st_size / MIB
            raise ValueError(f"{path} has {size:.1f} MiB, and must have at most {LIMITS[path.name] // MIB} MiB")
    for module in ("torch", "safetensors"):
        import_extra(module)
    from baselines.learned.agents.storage import load_network

    load_network(folder)
    contents = {path.name: path.read_bytes() for path in paths}
    if RUN in contents:
        read_as(folder / RUN, Run)
    if not contents.get(CURVES, _PNG).startswith(_PNG):
        raise ValueError(f"{folder / CURVES} is no PNG picture")
    return contents


def description_of(contents: Mapping[str, bytes]) -> Agent:
    """Returns the description of the agent in checked files."""
    return msgspec.json.decode(contents[AGENT_FILE], type=Agent)


def run_of(contents: Mapping[str, bytes]) -> Run:
    """Returns the record of the training in checked files, which need not have one."""
    return msgspec.json.decode(contents.get(RUN, b'{"sessions": []}'), type=Run)
