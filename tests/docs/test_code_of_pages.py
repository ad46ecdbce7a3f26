"""The pages that a reader works through: every file, command and session on them works."""

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from support import ROOT

import baselines
from baselines.cli import evaluate, train
from minesweeper_env import HIDDEN
from minesweeper_env.inference import mine_probabilities

FILE = re.compile(r"# ([\w/]+\.py)\n")


def blocks_of(page):
    """Returns the language and the text of each block of a page of docs."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```\n", text, re.DOTALL | re.MULTILINE)


OWN, TUTORIAL, TRAINING = map(blocks_of, ("how-to/own-policy.md", "tutorial.md", "how-to/training.md"))


def run(code, names=None):
    exec(compile(code, "a page", "exec"), {} if names is None else names)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """Makes an empty folder the working folder, whose modules can be imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for _, code in OWN:
        if name := FILE.match(code):
            monkeypatch.delitem(sys.modules, Path(name[1]).stem, raising=False)


@pytest.fixture
def files_of_own():
    for language, code in OWN:
        if language == "python" and (name := FILE.match(code)):
            Path(name[1]).write_text(code, encoding="utf-8")


COMMANDS = [shlex.split(line) for language, code in OWN if language == "sh" for line in code.splitlines()]


def make_models(policies):
    """Runs the code that saves the models of policies, with a short training."""
    if "my_ppo.py:agent" in policies:
        code = Path("train_ppo.py").read_text(encoding="utf-8")
        run(code.replace("20_000", "64").replace("gamma=0.0", "n_steps=64, gamma=0.0"))
    if "my_network.py:agent" in policies:
        run(next(code for _, code in OWN if "torch.save(" in code))


@pytest.mark.slow
@pytest.mark.usefixtures("files_of_own")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_commands_for_own_policies_run(command, capsys):
    python, program, *arguments = command
    assert (python, program) == ("python", "evaluate.py")
    make_models(arguments)
    assert evaluate.main(arguments) == 0
    assert arguments[arguments.index("--policy") + 1] in capsys.readouterr().out


@pytest.mark.usefixtures("files_of_own")
def test_the_code_for_own_policies_runs():
    for language, code in OWN:
        if language == "python" and not FILE.match(code):
            run(code)


@pytest.mark.usefixtures("files_of_own")
def test_an_untrained_model_and_network_are_scored_and_a_zip_is_not_opened(capsys):
    policies = ["my_ppo.py:agent", "my_network.py:agent", "my_function.py:agent"]
    make_models(policies)
    ppo = baselines.evaluate(policies[0], size=5, mines=3, games=10, against=())
    others = baselines.evaluate(policies[1:], games=10, against=())
    assert [result.policy for result in (*ppo.policies, *others.policies)] == policies
    with pytest.raises(SystemExit, match="2"):
        evaluate.main(["--policy", "ppo.zip"])
    line = capsys.readouterr().err.splitlines()[-1]
    assert "ppo.zip: a zip of Stable-Baselines3 holds pickled code" in line
    assert "agent = lambda **board: SB3Policy(MaskablePPO.load('ppo.zip'), **board)" in line


SHORTER = {
    "train.py": (train.main, ["--steps", "1500", "--eval-games", "20", "--threads", "1"]),
    "evaluate.py": (evaluate.main, ["--games", "50"]),
}
"""The commands of the tutorial, with options that shorten them; the last value of an option counts."""


@pytest.mark.slow
def test_every_block_of_the_tutorial_runs_and_prints_what_the_page_says():
    names, printed, compared = {}, io.StringIO(), 0
    for language, text in TUTORIAL:
        if language == "text":
            assert printed.getvalue() == text
            compared += 1
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            if language == "python":
                run(text, names)
            else:
                for _, program, *arguments in map(shlex.split, text.splitlines()):
                    main, options = SHORTER[program]
                    assert main([*arguments, *options]) == 0
    assert compared >= 4
    assert Path("runs/tutorial/curves.png").exists()


def test_the_reward_of_the_page_is_the_risk_of_a_click_beyond_the_least_one():
    names = {}
    run(next(code for _, code in TRAINING if "class RiskReward" in code), names)
    env = names["RiskReward"](gym.make("Minesweeper-v0", size=8, mines=14, moves=("click",)))
    rng, costs = np.random.default_rng(0), []
    for seed in range(20):
        board, info = env.reset(seed=seed)
        done = False
        while not done:
            risks = mine_probabilities(board, 14)
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            expected = risks[board == HIDDEN].min() - risks.reshape(-1)[action]
            board, reward, done, _, info = env.step(action)
            assert reward == pytest.approx(expected, abs=1e-12)
            costs.append(reward)
    assert min(costs) < -0.5
    assert max(costs) == 0.0
    env.reset(seed=0)
    board, *_ = env.step(27)
    opened = int(np.flatnonzero(board.reshape(-1) < 9)[0])
    assert env.step(opened)[1] == 0.0, "an illegal click earns nothing"
