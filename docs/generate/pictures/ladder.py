"""ladder.png: the win rates of scripted policies and trained agents on the same games of the classic boards."""

from __future__ import annotations

import json
from typing import Any

from places import DOCS

from baselines.suites.definitions import SUITES
from baselines.suites.plots import draw

Content = dict[str, Any]

LEAST_GAMES = 1000
"""Rows with fewer games are left out: their intervals are wider than the differences between neighbours."""


def ladder_content() -> Content:
    """Returns the results of the suite `ladder`, and the rows of trained agents that played the same seeds.

    Agents with options are left out: they are variants.
    """
    ladder, learned = (json.loads((DOCS / "results" / f"{name}.json").read_bytes()) for name in ("ladder", "learned"))
    if ladder["seed"] != learned["seed"]:
        raise ValueError(f"learned.json has games from seed {learned['seed']}, ladder.json from seed {ladder['seed']}")
    for board in ladder["boards"]:
        known = {row["policy"] for row in board["results"]}
        same = [other for other in learned["boards"] if _board(other) == _board(board)]
        rows = [row for other in same for row in other["results"] if ":" not in row["policy"]]
        rows = board["results"] + [row for row in rows if row["policy"] not in known]
        board["results"] = [row for row in rows if row["games"] >= LEAST_GAMES]
    return ladder | {"title": "Scripted policies and trained agents on the classic boards"}


def _board(board: Content) -> tuple[Any, ...]:
    config = board["config"]
    return (*config["size"], config["mines"], config["first_click"])


def draw_ladder() -> bytes:
    """Returns the picture as a PNG file."""
    return draw(SUITES["ladder"], ladder_content())
