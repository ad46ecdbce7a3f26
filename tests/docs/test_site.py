"""The site builds without a warning; its pictures come from the result files and the code."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from support import ROOT
from support.docs_scripts import load_script

from baselines import Policy
from baselines.adapters import FunctionPolicy, PredictPolicy, SB3Policy, TorchPolicy
from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.inference import mine_probabilities

SHOWN = {
    "environment.html": (MinesweeperEnv, MinesweeperVectorEnv),
    "baselines.html": (Policy, SB3Policy, TorchPolicy, PredictPolicy, FunctionPolicy),
}
"""Classes whose public methods a page of the reference shows, inherited ones included."""

pictures, links = load_script("pictures"), load_script("links")


@pytest.mark.parametrize(
    ("link", "repository", "shown"),
    [
        ("[home](../index.md#use)", "", "[home](../index.md#use)"),
        ("[data](../../docs/results/agents.json)", "", "[data](../results/agents.json)"),
        ("[code](../../play.py#name)", "", "code"),
        ("[code](../../play.py#name)", "https://host/x", "[code](https://host/x/blob/main/play.py)"),
        (
            "![a](../images/a.png), [far](https://example.org/a.md)",
            "",
            "![a](../images/a.png), [far](https://example.org/a.md)",
        ),
    ],
)
def test_a_link_to_a_file_that_the_site_lacks_leads_to_the_repository(link, repository, shown):
    page = SimpleNamespace(file=SimpleNamespace(abs_src_path=str(ROOT / "docs" / "how-to" / "play.md")))
    assert links.on_page_markdown(f"See {link}.", page, SimpleNamespace(repo_url=repository)) == f"See {shown}."


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_has_the_public_methods(tmp_path):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed; the extra docs has it")
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not [page for page in tmp_path.rglob("*.html") if 'src="http' in page.read_text(encoding="utf-8")]
    for page, classes in SHOWN.items():
        reference = (tmp_path / "reference" / page).read_text(encoding="utf-8")
        for shown in classes:
            path = f"{shown.__module__}.{shown.__qualname__}"
            for name, method in inspect.getmembers(shown, inspect.isfunction):
                if not name.startswith("_") and not method.__module__.startswith("gymnasium"):
                    assert f'id="{path}.{name}"' in reference


@pytest.mark.parametrize(
    "name", ["agents.png", "uniformity.png", "bayes-network.png", "first-clicks.png", "leaderboard.png"]
)
def test_each_picture_is_a_small_png_of_the_common_width(name):
    content = pictures.PICTURES[name]()
    picture = Image.open(io.BytesIO(content))
    assert (picture.format, picture.width) == ("PNG", 1440)
    assert len(content) < 300_000


def test_one_board_of_the_clicks_has_a_safe_cell_and_the_other_none():
    safe, forced = (np.array(rows, np.int8) for rows in pictures.POSITIONS.values())
    risks = mine_probabilities(safe, pictures.BOARD.mines)
    assert np.argwhere((risks == 0) & (safe > 8)).tolist() == [[3, 0]]
    assert (mine_probabilities(forced, pictures.BOARD.mines)[forced > 8] > 0).all()
    assert set(pictures.actions("subset", safe)) == {((3, 0), False)}
    assert all(is_flag for _, is_flag in pictures.actions("bayes_source", safe))
