"""Signatures of behaviour: wins, games, probabilities and trained weights, as lines that two trees can be compared by.

A change of structure leaves every line as it is. The script calls only what is documented, so it runs on either tree.
Each line is stored when it is known, and a second call goes on with the lines that are missing.

    python benchmarks/signatures.py before.json
    python benchmarks/signatures.py after.json && diff before.json after.json

The weights depend on the processor and on the versions of the libraries: compare trees on one machine.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
from safetensors.numpy import load_file

import baselines
from baselines.files import replace_file
from minesweeper_env.inference import mine_probabilities, win_probability

ROOT = Path(__file__).resolve().parents[1]

AGENTS = [
    "afterstate",
    "afterstate-any-size",
    "any-size",
    "clues-any-size",
    "dqn",
    "plain-dqn",
    "plain-ppo",
    "ppo",
    "taught",
]
SMALL_BOARDS = {"8x8/14": (8, 14), "9x9/10": (9, 10), "16x16/40": (16, 40)}
EXPERT = ((16, 30), 99)
SLOW_GAMES = {"afterstate": 200, "afterstate-any-size": 200, "taught": 200, "bayes_source": 200, "rollout": 50}
"""Games of the policies that would take hours for a thousand."""

GAME_OPTIONS: dict[str, dict[str, object]] = {
    "default": {},
    "moves": {"size": (5, 7), "mines": 9, "moves": ("click", "flag", "unflag", "question", "chord"), "radius": 2},
    "safe": {"size": 6, "mines": 8, "first_click": "safe", "reward": "progress", "observation": "planes"},
    "any": {"size": 6, "mines": 30, "first_click": "any", "reward": "shaped"},
    "corners": {"size": (4, 9), "mines": 7, "first_click": "corners", "max_steps": 9},
    "no_guess": {"size": 8, "mines": 10, "no_guess": "subset"},
    "expert": {"size": (16, 30), "mines": 99, "moves": ("click",)},
}
STEPS, ENVS = 600, 16


def digest(*arrays: object) -> str:
    """Returns 16 hexadecimal digits that depend on every byte of the arrays."""
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()[:16]


def wins(policy: str, size: int | tuple[int, int], mines: int, games: int) -> str:
    """Returns the wins of a policy on the seeds from 0, with the number of games."""
    results = baselines.evaluate(policy, size=size, mines=mines, games=games, against=(), progress=False)
    return f"{results.rows()[0]['wins']} of {games}"


def played(options: dict[str, object]) -> str:
    """Returns the digest of all observations, rewards, ends and masks of `STEPS` random steps in `ENVS` games."""
    envs = gymnasium.make_vec("minesweeper_env:Minesweeper-v0", num_envs=ENVS, **options)
    observations, infos = envs.reset(seed=0)
    seen = [observations, infos["action_mask"]]
    for _ in range(STEPS):
        observations, rewards, terminations, truncations, infos = envs.step(envs.unwrapped.sample_actions())
        seen += [observations, rewards, terminations, truncations, infos["action_mask"]]
    return digest(*seen)


def judged(size: int | tuple[int, int], mines: int, boards: int) -> str:
    """Returns the digest of mine probabilities, to 12 digits, over the first 6 random moves of `boards` games."""
    envs = gymnasium.make_vec("minesweeper_env:Minesweeper-v0", num_envs=boards, size=size, mines=mines)
    _, infos = envs.reset(seed=1000)
    rng, playing, probabilities = np.random.default_rng(0), np.ones(boards, np.bool_), []
    for _ in range(6):
        mask = infos["action_mask"]
        random_actions = (rng.random(mask.shape) * mask).argmax(axis=1)
        codes, _, terminations, _, infos = envs.step(random_actions)
        playing &= ~terminations
        probabilities += [mine_probabilities(board, mines).round(12) for board in codes[playing]]
    return f"{digest(*probabilities)} of {len(probabilities)}"


def trained(algorithm: str, *, killed: bool) -> str:
    """Returns the digest of the weights after 20 000 steps; `killed` stops the training once, by kill -9."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        options = f"--algo {algorithm} --steps 20000 --threads 1 --eval-games 50 --seed 0 --out {run}"
        command = [sys.executable, "train.py", *options.split()]
        if killed:
            kill_after_checkpoint(command, run / "checkpoint.safetensors")
            command += ["--resume"]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return digest(*(array for _, array in sorted(load_file(run / "agent.safetensors").items())))


def kill_after_checkpoint(command: list[str], checkpoint: Path) -> None:
    """Starts a training, and kills it as soon as it has written a checkpoint."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.02)
    if process.poll() is not None:
        raise RuntimeError("the training ended before its first checkpoint")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def lines() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yields (name, function) of each line; the function computes its text."""
    for name, options in GAME_OPTIONS.items():
        yield f"games {name}", partial(played, options)
    for board, (size, mines) in {**SMALL_BOARDS, "5x5/5": (5, 5), "16x30/99": EXPERT}.items():
        yield f"probabilities {board}", partial(judged, size, mines, 64)
    for rule, cells in (("any", 4), ("safe", 4), ("opening", 5)):
        yield f"optimum {rule}", partial(lambda n, r: str(win_probability(n, n, n, r)), cells, rule)
    for policy in baselines.policy_names():
        if policy == "optimal":
            yield f"wins {policy} 5x5/5", partial(wins, policy, 5, 5, 300)
            continue
        for board, (size, mines) in SMALL_BOARDS.items():
            yield f"wins {policy} {board}", partial(wins, policy, size, mines, SLOW_GAMES.get(policy, 1000))
    for agent in AGENTS:
        yield f"wins {agent} 16x30/99", partial(wins, agent, *EXPERT, 50 if agent in SLOW_GAMES else 200)
    for algorithm in ("dqn", "ppo", "plain-ppo", "afterstate"):
        yield f"weights {algorithm}", partial(trained, algorithm, killed=False)
        yield f"weights {algorithm} after kill -9", partial(trained, algorithm, killed=True)


def main() -> None:
    """Computes the lines that the file lacks."""
    parser = argparse.ArgumentParser(description="Write signatures of behaviour into a JSON file.")
    parser.add_argument("file", type=Path, help="the file; lines that it holds are not computed again")
    parser.add_argument("--only", default="", metavar="TEXT", help="compute only lines whose name begins so")
    options = parser.parse_args()
    signatures = json.loads(options.file.read_text()) if options.file.exists() else {}
    for name, compute in lines():
        if name.startswith(options.only) and name not in signatures:
            signatures[name] = compute()
            print(f"{name}: {signatures[name]}", flush=True)
            replace_file(options.file, (json.dumps(signatures, indent=1, sort_keys=True) + "\n").encode())


if __name__ == "__main__":
    main()
