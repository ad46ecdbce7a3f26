"""Writer of the file of the games that `exact` wins: `python docs/generate/known_wins.py`."""

from baselines.evaluation.games import pack_won, play_games
from baselines.evaluation.results import KNOWN_FILE, config_row
from baselines.files import write_json
from baselines.provenance import versions
from baselines.registry import find_policy
from minesweeper_env.config import BoardConfig

GAMES = 10_000
"""Number of games on each board, for each first-click rule; their seeds are 0 to 9999."""

if __name__ == "__main__":
    entries = []
    for board in ("5x5/5", "8x8/14", "9x9/10", "16x16/40", "16x30/99"):
        for first_click in ("opening", "safe"):
            config = BoardConfig.of_name(board, first_click)
            won = [record.won for record in play_games(find_policy("exact")(config), config, range(GAMES))]
            entries.append({**config_row(config), "seed": 0, "games": GAMES, "wins": sum(won), "won": pack_won(won)})
            print(board, first_click, sum(won), flush=True)
    content = {"policy": "exact", "command": "python docs/generate/known_wins.py", "versions": versions()}
    write_json(KNOWN_FILE, content | {"boards": entries})
