"""A small suite for tests, and what the folder of a suite holds: its games, and its results without times."""

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec

from baselines.benchmark.run import SUFFIX
from baselines.benchmark.suites import Entry, Group, Suite
from minesweeper_env import BoardConfig

BOARDS = (BoardConfig(4, 5, 4, "safe", ("click",)), BoardConfig(6, 6, 5, "opening", ("click",)))
ENTRIES = (Entry("random"), Entry("straightforward"), Entry("subset", cap=30, batch_size=4))
TINY = Suite("tiny", "A suite for tests", (Group("tiny", BOARDS, ENTRIES, "next"),))


def records(folder: str | Path) -> dict[str, list[tuple[int, ...]]]:
    """Returns the numbers of all games in the files, by policy and board."""
    found: dict[str, list[tuple[int, ...]]] = {}
    for path in sorted(Path(folder).rglob(f"*{SUFFIX}")):
        first, games, *_ = msgspec.msgpack.decode(gzip.decompress(path.read_bytes()))
        assert first == len(found.setdefault(str(path.parent.relative_to(folder)), []))
        found[str(path.parent.relative_to(folder))] += map(tuple, games)
    return found


def content(folder: str | Path, name: str = "results.json") -> Any:
    """Returns the results in a folder without times and the command."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            left_out = {"seconds", "ms_per_game", "playing_seconds", "command"}
            return {name: timeless(each) for name, each in value.items() if name not in left_out}
        return [timeless(each) for each in value] if isinstance(value, list) else value

    return timeless(json.loads((Path(folder) / name).read_text()))
