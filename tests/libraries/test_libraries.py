"""The snippets of docs/how-to/libraries.md: they learn, and CleanRL's two changed lines mask.

The slow tests train with each library. `make test-libraries` installs the libraries; a test without its library is
skipped.
"""

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from support import ROOT

from minesweeper_env import MinesweeperVectorEnv

FOLDER = ROOT / "docs" / "generate" / "libraries"
GAMES = 500

run = SimpleNamespace(**runpy.run_path(str(FOLDER / "run.py")))


def interpreter_of(name):
    """Returns the interpreter that has a library, or skips the test."""
    here = name in ("stable-baselines3", "cleanrl")
    interpreter = Path(sys.executable) if here else ROOT / ".venv-libraries" / name / "bin" / "python"
    if not (run.WHEEL if name == "cleanrl" else interpreter).exists():
        pytest.skip(f"{name} is not installed: make test-libraries")
    return interpreter


@pytest.mark.slow
@pytest.mark.figures
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
    imports = "import gymnasium as gym\nfrom gymnasium.vector import AutoresetMode\nfrom torchrl.envs import *\n"
    rollout = f"assert {env}.rollout(30, break_when_any_done=False).shape[-1] == 30"
    subprocess.run([interpreter_of("torchrl"), "-c", imports + rollout], check=True)


def test_the_dataset_of_reasoning_gym_mixes_with_others_and_scores_their_answers():
    page = (ROOT / "docs" / "how-to" / "grpo.md").read_text(encoding="utf-8")
    (dataset,) = re.findall(r"^```python\n(.*?)^```", page.partition("## reasoning-gym")[2], re.MULTILINE | re.DOTALL)
    mixed = """
import reasoning_gym
from reasoning_gym.composite import DatasetSpec

specs = [DatasetSpec("minesweeper", 1, {"kind": "all_mines"}), DatasetSpec("leg_counting", 1, {})]
mixed = reasoning_gym.create_dataset("composite", size=20, seed=1, datasets=specs)
assert {entry["metadata"]["source_dataset"] for entry in mixed} == {"minesweeper", "leg_counting"}
assert all(mixed.score_answer(entry["answer"], entry) == 1 > mixed.score_answer(None, entry) for entry in mixed)
mixed.update_dataset_config("minesweeper", {"kind": "best_guess"})
assert "best_guess" in {entry["metadata"].get("kind") for entry in mixed}
"""
    subprocess.run([interpreter_of("reasoning-gym"), "-c", dataset + mixed], cwd=ROOT, check=True)


def test_each_snippet_is_python():
    for heading in run.HEADINGS.values():
        for code in run.snippets(heading):
            compile(code, heading, "exec")


def test_the_lines_that_score_a_snippet_play_as_its_function_does(capsys):
    (code,) = run.snippets("Masks in the observation")
    exec(compile(code.replace("1000", "50"), "libraries.md", "exec"), {"act": run.train("exact")})
    own, exact = re.findall(r"^(?:agent|exact) +([\d.]+)%", capsys.readouterr().out, re.MULTILINE)
    assert own == exact


def test_the_page_prints_the_wins_of_the_results():
    results = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    printed = dict(re.findall(r"^(\w+) +([\d.]+)%", run.section("Stable-Baselines3"), re.MULTILINE))
    wins = {"MaskablePPO": results["stable-baselines3"]["wins"], "exact": results["exact"]["wins"]}
    assert {name: round(float(rate) * 10) for name, rate in printed.items()} == wins


def test_cleanrls_changed_lines_replace_two_lines_and_mask_every_illegal_click():
    torch = pytest.importorskip("torch")
    source = "def thunk():\n    env = gym.make(env_id)\n\n\ndef b(self, x):\n        logits = self.actor(x)\n"
    patched = run.patch(source).splitlines()
    assert patched[1].startswith("    env = gym.make(env_id, size=5")
    assert patched[-1].startswith("        logits = self.actor(x).masked_fill(")
    with pytest.raises(AssertionError, match="not exactly one line"):
        run.patch(source * 2)
    env = MinesweeperVectorEnv(50, 5, 3, moves=("click",), observation="flat")
    observations, infos = env.reset(seed=0)
    agent = type("Agent", (), {"actor": staticmethod(lambda x: torch.zeros(len(x), 25))})
    for _ in range(30):
        names = {"self": agent, "x": torch.as_tensor(observations)}
        exec(patched[-1].strip(), names)
        under_way = ~np.asarray(infos["action_mask"], bool).all(axis=1) | (observations[:, 275:300] == 1).all(axis=1)
        expected = infos["action_mask"][under_way].astype(bool)
        assert ((names["logits"] == 0).numpy()[under_way] == expected).all()
        assert (names["logits"] == 0).any(dim=1).all(), "a finished board needs an action, too"
        observations, _, _, _, infos = env.step(env.sample_actions())
