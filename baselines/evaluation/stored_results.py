"""Reader of result files that others may have changed; it checks that the figures of each policy agree."""

import math
from pathlib import Path
from typing import Any

import msgspec

from baselines.evaluation.intervals import wilson_interval
from baselines.files import read_json
from baselines.schemas import Count, Games, Rate, convert


class StoredRow(msgspec.Struct):
    """The checked fields of a policy's result. Up to four of them imply the number of wins, and these must agree."""

    policy: str
    games: Games
    win_rate: Rate
    ci95: tuple[Rate, Rate]
    digest: str | None = None  # older files lack it
    wins: Count | None = None
    won: str | None = None  # as `pack_won` writes it

    def __post_init__(self) -> None:
        wins = round(self.win_rate * self.games) if self.wins is None else self.wins
        expected = (wins / self.games, *wilson_interval(wins, self.games))
        pairs = zip((self.win_rate, *self.ci95), expected, strict=True)
        agree = all(math.isclose(*pair, abs_tol=1e-3 if self.wins is None else 1e-9) for pair in pairs)
        if self.won is not None:  # Four characters hold 24 games. Checked first: a huge `games` would fill the memory.
            from baselines.evaluation.games import unpack_won  # It loads the engine.

            agree &= len(self.won) == 4 * -(-self.games // 24) and int(unpack_won(self.won, self.games).sum()) == wins
        if not agree:
            raise ValueError("its wins, win rate, interval and outcomes contradict each other")


def read_figures(path: Path) -> dict[str, Any]:
    """Returns the JSON content of a file of results; raises a ValueError if it is unreadable or its counts disagree."""
    unchecked: list[Any] = [content := read_json(path)]
    while unchecked:
        value = unchecked.pop()
        if isinstance(value, dict) and {"policy", "games", "win_rate", "ci95"} <= value.keys():
            convert(value, StoredRow, str(path))
        unchecked += value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return content
