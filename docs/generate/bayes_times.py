"""Writer of the times of the Bayesian suite: `python docs/generate/bayes_times.py`, on an idle machine.

It takes a quarter of an hour, nearly all of it with pgmpy.
"""

from pathlib import Path
from time import process_time

from baselines.benchmark.suites import find_suite
from baselines.evaluation.games import play_games
from baselines.evaluation.results import config_row
from baselines.files import write_json
from baselines.process import use_one_thread
from baselines.provenance import processor_name, versions
from baselines.registry import find_policy
from minesweeper_env.config import BoardConfig

GAMES = {"bayes_source": 1000, "bayes": 1000, "bayes:inference=pgmpy": 5}
"""Number of games of each policy on each board; their seeds are those from 0 on."""

FILE = Path(__file__).parents[1] / "results" / "bayes-times.json"


def milliseconds(policy: str, config: BoardConfig, games: int) -> float:
    """Returns the mean processor time of games played one after another, in milliseconds with three digits."""
    player = find_policy(policy)(config)
    player.reset(0)
    play_games(player, player.config, [games])  # Compiles, and is another game.
    start = process_time()
    for seed in range(games):
        play_games(player, player.config, [seed])
    return float(f"{1000 * (process_time() - start) / games:.3g}")


if __name__ == "__main__":
    use_one_thread()
    rows = []
    for config in find_suite("sources").chosen(["bayes"], []).groups[0].boards:
        for policy, games in GAMES.items():
            rows.append({**config_row(config), "policy": policy, "games": games})
            rows[-1]["ms_per_game"] = milliseconds(policy, config, games)
            print(config.name, policy, rows[-1]["ms_per_game"], "ms", flush=True)
    write_json(FILE, {"processor": processor_name(), "versions": versions(), "results": rows})
