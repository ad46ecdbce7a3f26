"""Golden games: the engine replays recorded games exactly, compiled or not; and what the package imports.

    python tests/azulejos_env/test_golden.py

writes the games again; the commit says why they changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.sources import check_lazy_exports, imported, modules_of

from azulejos_env import AzulejosEnv

FOLDER = Path(__file__).parent / "golden"
ROOT = FOLDER.parents[2]
GAMES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "random_seat": {"size": (5, 7), "colours": 4, "opponent": "random", "seat": "random", "side": "right"},
    "alone": {"size": 5, "colours": 2, "opponent": None, "bonus": 1.5, "points": (3, 5), "per_tile": 1},
    "minimax": {"size": (4, 5), "opponent": "minimax:depth=2", "seat": "second", "reward": "win_loss"},
}
# What the package takes from the first game: nothing that knows mines.
TAKEN = {
    f"minesweeper_env.{name}"
    for name in (
        "checks", "compiled", "config", "engine.rules", "lazy", "notices", "rendering", "splitmix", "window",
    )
}  # fmt: skip
ALLOWED = {"numpy", "gymnasium", "numba", "pettingzoo", "azulejos_env", "minesweeper_env", *sys.stdlib_module_names}


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


def recorded(name):
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_games_are_the_recorded_ones(name):
    assert transcript(name) == recorded(name)


def test_games_are_the_same_without_compilation():
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*GAMES}
    names = ["greedy", "random_seat", "alone"]
    code = f"from test_golden import transcript\nprint(*map(transcript, {names}), sep='')"
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests", FOLDER.parent)))
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", code]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("".join(map(recorded, names)) + "\n", "")


@pytest.mark.parametrize("path", modules_of("azulejos_env"), ids=str)
def test_the_game_imports_nothing_heavy_and_little_of_the_other(path):
    names = imported(path)
    packages = {name.split(".")[0] for name in names}
    assert packages <= ALLOWED
    assert path.stem == "aec" or "pettingzoo" not in packages
    taken = {name for name in names if name.startswith("minesweeper_env.")}
    assert {name for name in taken if not {name, name.rpartition(".")[0]} & TAKEN} == set()


@pytest.mark.parametrize("order", ["azulejos_env, gymnasium", "gymnasium, azulejos_env"])
def test_importing_the_package_registers_the_id_and_loads_no_compiler(order):
    code = f"import sys, {order}\ngymnasium.spec('Azulejos-v0')\nprint('numba' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_the_public_names_are_those_that_type_checkers_see():
    check_lazy_exports("azulejos_env")


if __name__ == "__main__":
    for each in GAMES:
        (FOLDER / f"{each}.txt").write_text(transcript(each), encoding="utf-8")
