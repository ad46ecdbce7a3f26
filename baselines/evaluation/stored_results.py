"""Files of results that others may have changed: their counts are checked when they are read."""

import math
from pathlib import Path
from typing import Any

import msgspec

from baselines.evaluation.intervals import wilson_interval
from baselines.files import read_json
from baselines.schemas import Count, Games, Rate, convert


class StoredRow(msgspec.Struct):
    """What is read of a policy's result. It tells the wins up to four times, which must agree: files can be changed."""

    policy: str
    games: Games
    win_rate: Rate
    ci95: tuple[Rate, Rate]
    digest: str | None = None  # older files lack it
    wins: Count | None = None
    won: str | None = None  # as `pack_won` writes it

    def __post_init__(self) -> None:
        wins = round(self.win_rate * self.games) if self.wins is None else self.wins
        told, nearly = (wins / self.games, *wilson_interval(wins, self.games)), 1e-3 if self.wins is None else 1e-9
        pairs = zip((self.win_rate, *self.ci95), told, strict=True)
        agree = all(math.isclose(*pair, abs_tol=nearly) for pair in pairs)
        if self.won is not None:  # Of a short text, the number of games could fill the memory.
            from baselines.evaluation.games import unpack_won  # It loads the engine.

            agree &= len(self.won) == 4 * -(-self.games // 24) and int(unpack_won(self.won, self.games).sum()) == wins
        if not agree:
            raise ValueError("its wins, win rate, interval and outcomes contradict each other")


def read_figures(path: Path) -> dict[str, Any]:
    """Returns the JSON content of a file of results; a ValueError if it cannot be read, or its counts disagree."""
    waiting: list[Any] = [content := read_json(path)]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict) and {"policy", "games", "win_rate", "ci95"} <= each.keys():
            convert(each, StoredRow, str(path))
        waiting += each.values() if isinstance(each, dict) else each if isinstance(each, list) else []
    return content
