"""The snippets of docs/how-to/libraries.md: they learn, and CleanRL's two changed lines mask.

The slow tests train with each library. `make test-libraries` installs the libraries; a test without its library is
skipped.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import ROOT

from minesweeper_env import MinesweeperVectorEnv

FOLDER = ROOT / "docs" / "generate" / "libraries"
VENVS = ROOT / ".venv-libraries"
GAMES = 500


def load(name):
    """Returns a script of docs/generate/libraries, which is no package."""
    spec = importlib.util.spec_from_file_location(f"libraries_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run, cleanrl = load("run"), load("cleanrl")
RESULTS = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


def interpreter_of(name):
    """Returns the interpreter that has a library, or skips the test."""
    if name == "cleanrl" and not cleanrl.WHEEL.exists():
        pytest.skip("CleanRL's wheel is missing: make test-libraries")
    if name in ("stable-baselines3", "cleanrl"):
        return Path(sys.executable)
    path = VENVS / name / "bin" / "python"
    if not path.exists():
        pytest.skip(f"{name} is not installed: make test-libraries")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", run.HEADINGS)
def test_each_snippet_learns_to_win(name, tmp_path):
    file = tmp_path / "results.json"
    command = [interpreter_of(name), FOLDER / "run.py", name, "--games", str(GAMES), "--json", file]
    subprocess.run(command, check=True, cwd=tmp_path)
    result = json.loads(file.read_text())[name]
    assert result["random_wins"] < 0.15 * GAMES
    assert result["wins"] > 0.25 * GAMES


@pytest.mark.slow
@pytest.mark.parametrize(
    "env",
    [
        "GymEnv('minesweeper_env:Minesweeper-v0')",
        "GymWrapper(gym.make_vec('minesweeper_env:Minesweeper-v0', 2, autoreset_mode=AutoresetMode.SAME_STEP))",
    ],
)
def test_torchrl_makes_single_and_batched_environments(env):
    code = "import gymnasium as gym\nfrom gymnasium.vector import AutoresetMode\nfrom torchrl.envs import *\n"
    subprocess.run([interpreter_of("torchrl"), "-c", f"{code}assert {env}.rollout(3).shape[-1] == 3"], check=True)


@pytest.mark.parametrize("heading", [heading for heading in run.HEADINGS.values() if heading != "CleanRL"])
def test_each_snippet_is_python(heading):
    for code in run.snippets(heading):
        compile(code, heading, "exec")


@pytest.mark.slow
def test_one_game_suffices_for_stable_baselines3():
    exec(compile(run.snippets("Stable-Baselines3")[1], "libraries.md", "exec"), {})


def test_the_page_prints_the_wins_of_the_results():
    printed = dict(re.findall(r"^(\w+) +([\d.]+)%", run.section("Stable-Baselines3"), re.MULTILINE))
    assert {name: round(float(rate) * 10) for name, rate in printed.items()} == {
        "MaskablePPO": RESULTS["stable-baselines3"]["wins"],
        "exact": RESULTS["exact"]["wins"],
    }


def test_the_diff_replaces_two_lines_that_occur_once():
    section = run.section("CleanRL")
    assert [old for old, _ in cleanrl.changes(section)] == ["env = gym.make(env_id)", "logits = self.actor(x)"]
    source = (
        "def thunk():\n    env = gym.make(env_id)\n\n\nclass A:\n    def b(self, x):\n        logits = self.actor(x)\n"
    )
    patched = cleanrl.patch(source, section).splitlines()
    assert patched[1].startswith("    env = gym.make(env_id, size=5")
    assert patched[-1].startswith("        logits = self.actor(x).masked_fill(")
    with pytest.raises(AssertionError, match="not exactly one line"):
        cleanrl.patch(source * 2, section)


def test_cleanrls_changed_line_masks_every_illegal_click():
    torch = pytest.importorskip("torch")
    _, (_, line) = cleanrl.changes(run.section("CleanRL"))
    env = MinesweeperVectorEnv(50, 5, 3, moves=("click",), observation="flat")
    observations, infos = env.reset(seed=0)
    agent = type("Agent", (), {"actor": staticmethod(lambda x: torch.zeros(len(x), 25))})
    for _ in range(30):
        names = {"self": agent, "x": torch.as_tensor(observations)}
        exec(line, names)
        under_way = ~np.asarray(infos["action_mask"], bool).all(axis=1) | (observations[:, 275:300] == 1).all(axis=1)
        expected = infos["action_mask"][under_way].astype(bool)
        assert ((names["logits"] == 0).numpy()[under_way] == expected).all()
        assert (names["logits"] == 0).any(dim=1).all(), "a finished board needs an action, too"
        observations, _, _, _, infos = env.step(env.sample_actions())
