"""Writer of baselines/evaluation/exact_wins.json, the games that `exact` wins: `python docs/generate/known_wins.py`."""

from __future__ import annotations

import base64
import json

import numpy as np

from baselines.evaluation.games import play_games
from baselines.evaluation.report import KNOWN_FILE
from baselines.evaluation.results import config_row, versions
from baselines.registry import build_policy
from baselines.support.board_names import parse_board

COMMAND = "python docs/generate/known_wins.py"
BOARDS = ("5x5/5", "8x8/14", "9x9/10", "16x16/40", "16x30/99")
GAMES = 10_000
"""Number of games on each board, for each first-click rule; their seeds are 0 to 9999."""


def played(board: str, first_click: str) -> dict[str, object]:
    """Returns the wins of `exact` on a board as an entry of the file."""
    config = parse_board(board, first_click)
    won = np.array([record.won for record in play_games(build_policy("exact", config), config, range(GAMES))])
    bits = base64.b64encode(np.packbits(won).tobytes()).decode()
    return {**config_row(config), "seed": 0, "games": GAMES, "wins": int(won.sum()), "won": bits}


if __name__ == "__main__":
    entries = []
    for board in BOARDS:
        for first_click in ("opening", "safe"):
            entries.append(played(board, first_click))
            print(board, first_click, entries[-1]["wins"], flush=True)
    content = {"policy": "exact", "command": COMMAND, "versions": versions(), "boards": entries}
    KNOWN_FILE.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
