"""The tutorial: its blocks run in order and print what the page says."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from support import ROOT

from baselines.cli import evaluate, train

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```\n", PAGE, re.DOTALL | re.MULTILINE)
FILE = re.compile(r"# ([\w/]+\.py)\n")
SHORTER = {"train.py": ["--steps", "1500", "--eval-games", "20", "--threads", "1"], "evaluate.py": ["--games", "50"]}
"""Options that shorten the commands of the page; the last value of an option counts."""


def run_command(line: str) -> None:
    python, program, *arguments = shlex.split(line)
    assert python == "python"
    main = {"train.py": train.main, "evaluate.py": evaluate.main}[program]
    assert main([*arguments, *SHORTER[program]]) == 0


def run_block(language: str, text: str, names: dict[str, Any]) -> str:
    """Runs a block, and returns what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if language == "python" and (file := FILE.match(text)):
            Path(file[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, "tutorial.md", "exec"), names)
        else:
            for line in text.splitlines():
                run_command(line)
    return printed.getvalue()


@pytest.mark.slow
def test_every_block_runs_and_prints_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("cautious", "careful"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    names: dict[str, Any] = {}
    printed, compared = "", 0
    for language, text in BLOCKS:
        if language == "text":
            assert printed == text
            compared += 1
        else:
            printed = run_block(language, text, names)
    assert compared >= 6
    assert Path("runs/tutorial/curves.png").exists()
