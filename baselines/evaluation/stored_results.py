"""Files of results that others may have changed: their counts are checked when they are read."""

import math
from pathlib import Path
from typing import Any

import msgspec

from baselines.evaluation.games import unpack_won
from baselines.evaluation.results import rate_row
from baselines.files import read_json
from baselines.schemas import Count, Games, Rate, convert
from baselines.tables import Row


class Counts(msgspec.Struct):
    """Counts in the row of a policy. They tell its wins up to four times, which must agree: files can be changed."""

    games: Games
    win_rate: Rate
    ci95: tuple[Rate, Rate]
    wins: Count | None = None
    won: str | None = None  # as `pack_won` writes it

    def __post_init__(self) -> None:
        wins = round(self.win_rate * self.games) if self.wins is None else self.wins
        row, nearly = rate_row(self.games, wins), 1e-3 if self.wins is None else 1e-9
        pairs = zip((self.win_rate, *self.ci95), (row["win_rate"], *row["ci95"]), strict=True)
        agree = all(math.isclose(*pair, abs_tol=nearly) for pair in pairs)
        if self.won is not None:  # Of a short text, the number of games could fill the memory.
            agree &= len(self.won) == 4 * -(-self.games // 24) and int(unpack_won(self.won, self.games).sum()) == wins
        if not agree:
            raise ValueError("its wins, win rate, interval and outcomes contradict each other")


def read_figures(path: Path) -> Row:
    """Returns the JSON content of a file of results; a ValueError if it cannot be read, or its counts disagree."""
    waiting: list[Any] = [content := read_json(path)]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict) and {"policy", "games", "win_rate", "ci95"} <= each.keys():
            convert(each, Counts, str(path))
        waiting += each.values() if isinstance(each, dict) else each if isinstance(each, list) else []
    return content
