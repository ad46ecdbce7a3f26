"""Writer of the times of replicas.md: `OMP_NUM_THREADS=1 python docs/generate/bayes_times.py`, on an idle machine."""

import json
import time
from dataclasses import replace
from pathlib import Path

from baselines.benchmark.suites import SUITES
from baselines.evaluation.games import play_games
from baselines.evaluation.results import config_row, versions
from baselines.registry import build_policy
from baselines.support.board_names import name_of

FILE = Path(__file__).parents[1] / "results" / "bayes-times.json"
MACHINE = "one core of a 2-core x86-64 cloud machine"
GAMES = {"bayes:inference=pgmpy": 10, "bayes_source": 1000, "bayes": 1000, "exact": 1000}
"""The number of games of each policy on each board; their seeds begin at 0."""

if __name__ == "__main__":
    rows = []
    for board in next(group.boards for group in SUITES["sources"].groups if group.name == "bayes"):
        for name, games in GAMES.items():
            config = replace(board, moves=("click", "flag") if name == "bayes_source" else ("click",))
            play_games(build_policy(name, config), config, [0])
            policy, begin = build_policy(name, config), time.process_time()
            play_games(policy, config, range(games))
            spent = 1000 * (time.process_time() - begin) / games
            rows.append({"config": config_row(board), "policy": name, "games": games, "ms_per_game": round(spent, 4)})
            print(name_of(board), name, f"{spent:.3f} ms", flush=True)
    content = {
        "command": "python docs/generate/bayes_times.py",
        "machine": MACHINE,
        "clock": "processor time",
        "seed": 0,
    }
    FILE.write_text(json.dumps(content | {"versions": versions(), "results": rows}, indent=1) + "\n", encoding="utf-8")
