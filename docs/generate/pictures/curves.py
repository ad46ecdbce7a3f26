"""agents.png: the win rates of the agents of Antimatroid (2012) over the number of mines."""

from __future__ import annotations

import json

from places import DOCS

from baselines.suites.definitions import SUITES
from baselines.suites.plots import draw


def draw_mines_curves() -> bytes:
    """Returns the picture as a PNG file, from docs/results/agents.json."""
    return draw(SUITES["agents"], json.loads((DOCS / "results" / "agents.json").read_bytes()))
