"""What the folder of a suite holds: its games, and its results without times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

Games = dict[str, list[dict[str, int]]]


def records(folder: str | Path) -> Games:
    """Returns the records of all files of games, by policy and board."""
    found: Games = {}
    for path in sorted(Path(folder).rglob("*.npz")):
        with np.load(path) as archive:
            header = json.loads(archive["header"].tobytes())
            bits = {
                name: np.unpackbits(archive[name], count=header["games"]) for name in ("won", "truncated", "marked")
            }
            numbers = {name: archive[name] for name in ("clicks", "opened")}
            games = found.setdefault(str(path.parent.relative_to(folder)), [])
            assert header["first"] == len(games)
            games += [
                {name: int(values[i]) for name, values in {**bits, **numbers}.items()} for i in range(header["games"])
            ]
    return found


def content(folder: str | Path) -> Any:
    """Returns the results without times and the command."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            left_out = {"seconds", "ms_per_game", "command"}
            return {name: timeless(each) for name, each in value.items() if name not in left_out}
        return [timeless(each) for each in value] if isinstance(value, list) else value

    return timeless(json.loads((Path(folder) / "results.json").read_text()))
