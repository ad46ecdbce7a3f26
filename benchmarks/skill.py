"""Skill over processor time: what a beginner's trainings win on 8x8 with 14 mines, on one core.

Each row is trainings of their own, because the learning rate falls over the budget of a training: `examples/dqn.py` for
each budget in seconds, and `train.py --config quick`, which `make run` trains and which has a budget in steps. The fit
to the clues, `exact` and `lookahead` need no training. All play the same development games.

    python benchmarks/skill.py runs/skill --seconds 60 --seeds 1 2 3 4 5

Trainings that the folder holds already are not repeated. The results go to skill.json in it.
"""

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

from timing import pin_to_one_core, print_table

from baselines import evaluate
from baselines.cli.command import whole_number_from
from baselines.evaluation.intervals import mean_interval
from baselines.files import write_json
from baselines.provenance import processor_name, versions

ROOT = Path(__file__).parents[1]
FIRST_SEED, GAMES = 1_500_000_000, 2000
UNTRAINED = (f"{ROOT}/examples/capped_dqn.py:fit_alone", "exact", "lookahead")


def trained(command: list[str], out: Path) -> float:
    """Runs a training command into a folder, unless it has run; returns its processor seconds."""
    seconds_file = out / "seconds.json"
    if not seconds_file.exists():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command, "--out", str(out)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        write_json(seconds_file, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return float(json.loads(seconds_file.read_bytes()))


def row(training: str, folder: Path, seeds: list[int]) -> dict[str, Any]:
    """Trains and evaluates with each seed; returns a row of skill.json, with processor seconds and win rates."""
    seconds, rates = [], []
    for seed in seeds:
        out = folder / training.replace("/", "_").replace(" ", "_") / str(seed)
        seconds.append(trained([*training.split(), "--seed", str(seed)], out))
        policy = f"{ROOT}/examples/dqn.py:Agent:file={out}/model.pt" if (out / "model.pt").exists() else str(out)
        rates.append(win_rate(policy))
    return {"training": training, "seeds": seeds, "seconds": seconds, "win_rates": rates}


def win_rate(policy: str) -> float:
    """Returns the fraction of the development games that a policy wins."""
    return evaluate(policy, 8, 14, GAMES, seed=FIRST_SEED, against=(), progress=False).policies[0].win_rate


def main() -> None:
    """Trains, plays, prints the table and writes it."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("folder", type=Path, help="of the trainings")
    count = whole_number_from(1)
    parser.add_argument("--seconds", type=count, nargs="+", default=[60], help="budgets of the example (default 60)")
    seed = whole_number_from(0)
    parser.add_argument("--seeds", type=seed, nargs="+", default=[1, 2, 3, 4, 5], help="of each training (1 to 5)")
    options = parser.parse_args()
    pin_to_one_core()
    trainings = [f"examples/dqn.py --cpu-minutes {seconds / 60:g}" for seconds in options.seconds]
    rows = [row(training, options.folder, options.seeds) for training in (*trainings, "train.py --config quick")]
    no_training: dict[str, Any] = {"seeds": [], "seconds": [0.0]}
    rows += [{"training": Path(name).name, **no_training, "win_rates": [win_rate(name)]} for name in UNTRAINED]
    games = {"size": [8, 8], "mines": 14, "first_click": "opening", "seed": FIRST_SEED, "games": GAMES}
    content = {"config": games, "processor": processor_name(), "versions": versions(), "results": rows}
    write_json(options.folder / "skill.json", content)
    lines = []
    for result in rows:
        interval = mean_interval(result["win_rates"]) or ()  # none of a single rate
        rates = f"{100 * fmean(result['win_rates']):.1f}", " to ".join(f"{100 * end:.1f}" for end in interval)
        lines.append((result["training"], str(len(result["seeds"])), f"{fmean(result['seconds']):.0f}", *rates))
    print_table(f"8x8/14 opening, {GAMES} games", ("", "runs", "seconds", "won, %", "95 % (t)"), lines)


if __name__ == "__main__":
    main()
