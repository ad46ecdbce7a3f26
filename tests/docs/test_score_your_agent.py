"""The page that teaches users to score agents of their own: every file, command and session on it works."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from support import ROOT

from baselines.cli import evaluate

PAGE = (ROOT / "docs" / "score-your-agent.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# ([\w/]+\.py)\n")


@pytest.fixture
def folder_of_the_page(tmp_path, monkeypatch):
    """Makes the working folder one with all files of the page."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for language, code in BLOCKS:
        if language == "python" and (name := FILE.match(code)):
            Path(name[1]).write_text(code, encoding="utf-8")
    return tmp_path


def commands(code: str) -> list[list[str]]:
    """Returns the arguments of each `python evaluate.py` in a block of shell commands."""
    words = [shlex.split(line) for line in code.splitlines()]
    assert all(each[:2] == ["python", "evaluate.py"] for each in words)
    return [each[2:] for each in words]


COMMANDS = [each for language, code in BLOCKS if language == "sh" for each in commands(code)]


@pytest.mark.slow
@pytest.mark.usefixtures("folder_of_the_page")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_the_commands_of_the_page_run(arguments, capsys):
    assert evaluate.main(arguments) == 0
    assert "quiet.py:Quiet" in capsys.readouterr().out


@pytest.mark.usefixtures("folder_of_the_page")
def test_the_code_of_the_page_runs():
    for language, code in BLOCKS:
        if language == "python" and not FILE.match(code):
            exec(compile(code, "score-your-agent.md", "exec"), {})
