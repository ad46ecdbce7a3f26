"""The site builds without a warning, and its links lead somewhere."""

from __future__ import annotations

import inspect
import io
from types import SimpleNamespace

import pytest
from PIL import Image
from support import ROOT
from support.docs_scripts import load_script
from support.processes import run_python

from baselines import Policy
from baselines.adapters import FunctionPolicy, PredictPolicy, SB3Policy, TorchPolicy
from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv

SHOWN = {
    "environment.html": (MinesweeperEnv, MinesweeperVectorEnv),
    "baselines.html": (Policy, SB3Policy, TorchPolicy, PredictPolicy, FunctionPolicy),
}
"""Classes whose public methods a page of the reference shows, inherited ones included."""

links, pictures = load_script("links"), load_script("pictures")


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
    build = ("-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path)
    done = run_python(*build, env={"NO_MKDOCS_2_WARNING": "1"})
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
