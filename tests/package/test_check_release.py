"""`.github/check_release.py`: what keeps a tree from being released."""

from __future__ import annotations

import runpy
import shutil

import pytest
from support import ROOT

from minesweeper_env import __version__

TAG = f"v{__version__}"
SCRIPT = runpy.run_path(str(ROOT / ".github" / "check_release.py"))
FILES = ("setup.py", "setup.cfg", "CITATION.cff", "minesweeper_env/__init__.py")
READY = (
    ("setup.cfg", "authors@minesweeper-env.invalid", "authors@example.org"),
    ("setup.cfg", "project_urls =", "project_urls =\n    Source = https://example.org/minesweeper"),
)


@pytest.fixture
def tree(tmp_path):
    """The files that the check reads, such that this version can be released."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {__version__} (2026-12-01)\n")
    for name, old, new in READY:
        replace(tmp_path / name, old, new)
    return tmp_path


def replace(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def problems(tree, tag=TAG):
    return list(SCRIPT["problems"](tree, tag))


def test_a_ready_tree_has_no_problem(tree):
    assert problems(tree) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("setup.cfg", "authors@example.org", "a@b.invalid", "must be an address that receives mail, not 'a@b.invalid'"),
        ("setup.cfg", "    Source = https://example.org/minesweeper\n", "", "must have a line `Source = https://...`"),
        ("CHANGELOG.md", f"## {__version__}", "## 0.0", f"must have the heading `## {__version__} (YEAR-MONTH-DAY)`"),
        ("CHANGELOG.md", "2026-12-01", "unreleased", "must state a date (YEAR-MONTH-DAY), not 'unreleased'"),
        ("CITATION.cff", f"version: {__version__}", "version: 0.0", f"must have the line `version: {__version__}`"),
    ],
)
def test_each_problem_is_one_line(tree, name, old, new, words):
    replace(tree / name, old, new)
    (line,) = problems(tree)
    assert words in line


def test_the_tag_is_that_of_the_version(tree):
    assert problems(tree, "v9.9") == [f"the tag must be {TAG}, the version of minesweeper_env, not v9.9"]


def test_the_exit_status_is_1_with_a_problem_and_0_without(tree, monkeypatch, capsys):
    monkeypatch.setitem(SCRIPT["main"].__globals__, "ROOT", tree)
    assert SCRIPT["main"]([TAG]) == 0
    assert SCRIPT["main"](["v9.9"]) == 1
    assert (
        capsys.readouterr().err == f"check_release: the tag must be {TAG}, the version of minesweeper_env, not v9.9\n"
    )


def test_the_command_takes_one_tag(capsys):
    assert SCRIPT["main"]([]) == 2
    assert "usage: " in capsys.readouterr().err
