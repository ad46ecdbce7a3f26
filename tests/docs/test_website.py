"""The site: its links, its generated reference, and a strict build."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support import ROOT
from support.docs_scripts import load_script

from baselines.__main__ import COMMANDS
from baselines.learned.settings.hyperparameters import ALGORITHMS

WEBSITE, REFERENCE = load_script("website"), load_script("reference")
PAGES = {
    "docs/how-to/play.md": "how-to/play.md",
    "docs/index.md": "index.md",
    "benchmarks/README.md": "studies/speed.md",
}


@pytest.mark.parametrize(
    ("link", "repository", "shown"),
    [
        ("[speed](../../benchmarks/README.md#memory)", None, "[speed](../studies/speed.md#memory)"),
        ("[home](../index.md)", None, "[home](../index.md)"),
        ("![a](../images/a.png)", None, "![a](../images/a.png)"),
        ("[code](../../play.py)", None, "code"),
        ("[code](../../play.py)", "https://host/x/blob/main", "[code](https://host/x/blob/main/play.py)"),
        ("[far](https://example.org/a.md)", None, "[far](https://example.org/a.md)"),
        ("[here](#hints)", None, "[here](#hints)"),
    ],
)
def test_links_lead_to_the_places_of_the_site(link, repository, shown):
    assert WEBSITE.relinked(f"See {link}.", "docs/how-to/play.md", PAGES, repository) == f"See {shown}."


def test_the_reference_has_every_hyperparameter_and_public_name():
    page = REFERENCE.hyperparameters_page()
    assert all(f"## {name}" in page for name in ALGORITHMS)
    assert "| `keep_min` |" in page
    texts = "".join(REFERENCE.package_page(title, modules, set()) for title, modules in REFERENCE.PACKAGES.values())
    assert "::: minesweeper_env.env.MinesweeperEnv" in texts
    assert "::: baselines.evaluation.scoring.call.evaluate" in texts
    assert "`HIDDEN = 11`" in texts


@pytest.mark.slow
def test_the_site_builds_without_a_warning():
    pytest.importorskip("mkdocs", reason="mkdocs is not installed; the extra docs has it")
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    for words in (["docs/generate/website.py"], ["-m", "mkdocs", "build", "--strict"]):
        done = subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    commands = (ROOT / "build" / "documentation" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert all(f"python -m baselines {verb}`" in commands for verb in COMMANDS if verb not in REFERENCE.HIDDEN)
    site = ROOT / "build" / "site"
    assert all((site / "reference" / name).stat().st_size > 30_000 for name in ("baselines.html", "inference.html"))
    loaded = [page.name for page in site.rglob("*.html") if 'src="http' in page.read_text(encoding="utf-8")]
    assert not loaded, "a page loads something from another host"
    assert {page.stem for page in (site / "policies").glob("*.html")} >= {"exact", "lookahead"}
