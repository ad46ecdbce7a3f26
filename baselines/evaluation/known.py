"""Games that `exact` is known to win, so that any evaluation can name its win rate without playing it.

`docs/generate/known_wins.py` writes the file that this module reads.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from baselines.evaluation.records import unpack_won
from minesweeper_env.config import BoardConfig

KNOWN_FILE = Path(__file__).parent / "exact_wins.json"


def known_wins(config: BoardConfig, seed: int, games: int) -> int | None:
    """Returns how many of some games `exact` wins, or None if that is not known.

    Args:
        config: board and rules of the games.
        seed: seed of the first game; the others follow it.
        games: number of games, at least 1.
    """
    if config.radius != 1 or config.max_steps is not None or config.no_guess:
        return None
    for entry in _entries():
        if (entry["size"], entry["mines"], entry["first_click"]) == (
            [config.rows, config.cols],
            config.mines,
            config.first_click,
        ):
            first = seed - entry["seed"]
            if not 0 <= first <= entry["games"] - games:
                return None
            return int(unpack_won(entry["won"], entry["games"])[first : first + games].sum())
    return None


def known_rate_note(config: BoardConfig, seed: int, games: int) -> str:
    """Returns a line with the win rate of `exact` in some games; "" if it is not known. See `known_wins`."""
    wins = known_wins(config, seed, games)
    if wins is None:
        return ""
    return f"exact wins {wins / games:.1%} of these games (n = {games}, seeds {seed} to {seed + games - 1})."


@cache
def _entries() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(KNOWN_FILE.read_text(encoding="utf-8"))["boards"]
    return entries
