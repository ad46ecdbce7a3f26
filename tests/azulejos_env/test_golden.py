"""Golden games: the engine replays recorded games exactly, compiled or not; and what the package imports.

    python tests/azulejos_env/test_golden.py

writes the games again; the commit says why they changed.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.processes import run_python

from azulejos_env import AzulejosEnv

FOLDER = Path(__file__).parent / "golden"
ROOT = FOLDER.parents[2]
GAMES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "random_seat": {"size": (5, 7), "colours": 4, "opponent": "random", "seat": "random", "side": "right"},
    "alone": {"size": 5, "colours": 2, "opponent": None, "bonus": 1.5, "points": (3, 5), "per_tile": 1},
    "minimax": {"size": (4, 5), "opponent": "minimax:depth=2", "seat": "second", "reward": "win_loss"},
}
HEAVY = {"numba", "pettingzoo", "pygame", "torch", "matplotlib", "minesweeper_env.env", "minesweeper_env.inference"}


def transcript(name: str) -> str:
    """Returns two games in a row: each action with its reward, and the text of each position."""
    env = AzulejosEnv(**GAMES[name], render_mode="ansi")
    lines = [f"# {name}: {GAMES[name]}"]
    generator = np.random.default_rng(1)
    for game in range(2):
        _, info = env.reset(seed=7 if game == 0 else None)
        lines += [f"game {game}", str(env.render())]
        over = False
        while not over:
            action = int(generator.choice(np.flatnonzero(info["action_mask"])))
            _, reward, over, _, info = env.step(action)
            lines += ["", f"action {action}, reward {reward}, scores {info['scores'].tolist()}", str(env.render())]
        lines += [f"success {info['is_success']}", ""]
    return "\n".join(lines)


RECORDED = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt")}


def test_games_are_the_recorded_ones():
    assert {name: transcript(name) for name in GAMES} == RECORDED


def test_games_are_the_same_without_compilation():
    names = ["greedy", "random_seat", "alone"]
    code = f"from test_golden import transcript\nprint(*map(transcript, {names}), sep='')"
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests", FOLDER.parent)))
    result = run_python("-W", "error", "-c", code, env={"PYTHONPATH": path, "NUMBA_DISABLE_JIT": "1"})
    assert (result.stdout, result.stderr) == ("".join(RECORDED[name] for name in names) + "\n", "")


@pytest.mark.parametrize("order", ["azulejos_env, gymnasium", "gymnasium, azulejos_env"])
def test_importing_the_package_registers_the_id_and_loads_nothing_heavy(order):
    code = f"import sys, {order}\ngymnasium.spec('Azulejos-v0')\nprint({HEAVY} & {{*sys.modules}})"
    result = run_python("-c", code, check=True)
    assert result.stdout.strip() == "set()"


if __name__ == "__main__":
    for each in GAMES:
        (FOLDER / f"{each}.txt").write_text(transcript(each), encoding="utf-8")
