"""The tutorial: its blocks run in order and print what the page says, and its notebook has the same cells."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from support.docs_scripts import load_script

from baselines.cli import evaluate, train

NOTEBOOK = load_script("notebook")
BLOCKS = list(NOTEBOOK.blocks(NOTEBOOK.PAGE.read_text(encoding="utf-8")))
SHORTER = {"train.py": ["--steps", "1500", "--eval-games", "20", "--threads", "1"], "evaluate.py": ["--games", "50"]}
"""Options that shorten the commands of the page; the last value of an option counts."""


def run_command(line: str) -> None:
    python, program, *arguments = shlex.split(line)
    assert python == "python"
    main = {"train.py": train.main, "evaluate.py": evaluate.main}[program]
    assert main([*arguments, *SHORTER[program]]) == 0


def run_block(block: Any, names: dict[str, Any]) -> str:
    """Runs a block, and returns what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            exec(compile(block.text, "tutorial.md", "exec"), names)
        else:
            for line in block.text.splitlines():
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
    for block in (block for block in BLOCKS if block.language != "markdown"):
        if block.language == "text":
            assert printed == block.text
            compared += 1
        else:
            printed = run_block(block, names)
    assert compared >= 6
    assert Path("runs/tutorial/curves.png").exists()


def test_the_notebook_is_the_one_of_the_page():
    page = NOTEBOOK.PAGE.read_text(encoding="utf-8")
    stored = json.loads(NOTEBOOK.NOTEBOOK.read_text(encoding="utf-8"))
    assert stored == NOTEBOOK.notebook(page), "run `make docs`"


def test_the_notebook_has_a_code_cell_for_every_block_that_runs():
    cells = json.loads(NOTEBOOK.NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    runs = [block for block in BLOCKS if block.language in {"python", "sh"}]
    assert len(code) == len(runs)
    for source, block in zip(code, runs, strict=True):
        lines = source.splitlines()
        if block.language == "sh":
            assert [line.removeprefix("!") for line in lines] == block.text.splitlines()
        else:
            assert lines[1 if block.file else 0 :] == block.text.splitlines()
    assert {block.file for block in runs if block.file} == {"cautious.py", "careful.py"}
