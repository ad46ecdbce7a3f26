"""Run folders of agents of Azulejos that come with the package."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from baselines.support import run_folders

AGENTS_FOLDER = Path(__file__).parent / "weights"
"""The shipped agents: one run folder each, named after the agent."""

agent_names = partial(run_folders.agent_names, AGENTS_FOLDER)
"""Returns the names of the shipped agents."""

agent_folder = partial(run_folders.agent_folder, shipped=AGENTS_FOLDER)
"""Returns the run folder of a shipped agent or at a path, or None if there is no such folder."""
