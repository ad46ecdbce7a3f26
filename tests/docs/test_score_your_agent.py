"""The page that teaches users to score agents of their own: every file, command and session on it works."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from support import ROOT

import baselines
from baselines.cli import evaluate

PAGE = (ROOT / "docs" / "how-to" / "own-policy.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# ([\w/]+\.py)\n")


@pytest.fixture
def folder_of_the_page(tmp_path, monkeypatch):
    """Makes the working folder one with all files of the page."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for language, code in BLOCKS:
        if language == "python" and (name := FILE.match(code)):
            Path(name[1]).write_text(code, encoding="utf-8")
            monkeypatch.delitem(sys.modules, Path(name[1]).stem, raising=False)
    return tmp_path


def commands(code: str) -> list[list[str]]:
    """Returns the arguments of each `python evaluate.py` in a block of shell commands."""
    words = [shlex.split(line) for line in code.splitlines()]
    assert all(each[:2] == ["python", "evaluate.py"] for each in words)
    return [each[2:] for each in words]


COMMANDS = [each for language, code in BLOCKS if language == "sh" for each in commands(code)]


def make_models(arguments: list[str]) -> None:
    """Runs the code of the page that saves the models of a command, with a short training."""
    if "my_ppo.py:agent" in arguments:
        code = Path("train_ppo.py").read_text(encoding="utf-8")
        code = code.replace("20_000", "64").replace("gamma=0.0", "n_steps=64, gamma=0.0")
        exec(compile(code, "train_ppo.py", "exec"), {})
    if "my_network.py:agent" in arguments:
        exec(next(code for _, code in BLOCKS if "torch.save(" in code), {})


@pytest.mark.slow
@pytest.mark.usefixtures("folder_of_the_page")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_the_commands_of_the_page_run(arguments, capsys):
    make_models(arguments)
    assert evaluate.main(arguments) == 0
    assert arguments[arguments.index("--policy") + 1] in capsys.readouterr().out


@pytest.mark.usefixtures("folder_of_the_page")
def test_the_code_of_the_page_runs():
    for language, code in BLOCKS:
        if language == "python" and not FILE.match(code):
            exec(compile(code, "own-policy.md", "exec"), {})


@pytest.mark.usefixtures("folder_of_the_page")
def test_an_untrained_model_and_network_are_scored_from_the_files_of_the_page():
    policies = ["my_ppo.py:agent", "my_network.py:agent", "my_function.py:agent"]
    make_models(policies)
    ppo = baselines.evaluate(policies[0], size=5, mines=3, games=10, against=())
    others = baselines.evaluate(policies[1:], games=10, against=())
    assert [result.policy for result in (*ppo.policies, *others.policies)] == policies


@pytest.mark.usefixtures("folder_of_the_page")
def test_a_zip_is_not_opened_and_the_error_says_what_to_write(capsys):
    with pytest.raises(SystemExit, match="2"):
        evaluate.main(["--policy", "ppo.zip"])
    line = capsys.readouterr().err.splitlines()[-1]
    assert "ppo.zip: a zip of Stable-Baselines3 holds pickled code" in line
    assert "agent = lambda **board: SB3Policy(MaskablePPO.load('ppo.zip'), **board)" in line
