"""The site: its links, its generated reference, and a strict build."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys

import pytest
from support import ROOT
from support.docs_scripts import load_script

from azulejos_env import AzulejosEnv
from baselines.__main__ import COMMANDS
from baselines.learned.settings.hyperparameters import ALGORITHMS
from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv

WEBSITE, REFERENCE, SOURCES = (load_script(name) for name in ("website", "reference", "sources"))
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
        ("[code](../../play.py)", None, "[code](../source/play.py.html)"),
        ("[data](../results/ladder.json)", None, "[data](../source/docs/results/ladder.json)"),
        ("[folder](../results)", None, "folder"),
        ("[code](../../play.py)", "https://host/x/blob/main", "[code](https://host/x/blob/main/play.py)"),
        ("[far](https://example.org/a.md)", None, "[far](https://example.org/a.md)"),
        ("[here](#hints)", None, "[here](#hints)"),
    ],
)
def test_links_lead_to_the_places_of_the_site(link, repository, shown):
    assert WEBSITE.relinked(f"See {link}.", "docs/how-to/play.md", PAGES, repository) == f"See {shown}."


@pytest.mark.parametrize(("name", "line"), [("SB3Policy", "class SB3Policy"), ("SB3Policy._choose", "    def _choose")])
def test_a_link_to_a_name_leads_to_the_line_of_its_definition(name, line):
    path = "baselines/adapters/sb3.py"
    shown = WEBSITE.relinked(f"[x](../../{path}#{name})", "docs/how-to/play.md", PAGES, "https://host")
    number = int(shown.removesuffix(")").partition("#L")[2])
    assert (ROOT / path).read_text(encoding="utf-8").splitlines()[number - 1].startswith(line)
    assert WEBSITE.relinked(f"[x](../../{path}#{name})", "docs/how-to/play.md", PAGES, None) == (
        f"[x](../source/{path}.html#L-{number})"
    )


def test_a_link_to_a_missing_name_is_an_error():
    with pytest.raises(ValueError, match=r"sb3\.py defines no SB3Policy\.nothing"):
        WEBSITE.relinked("[x](../../baselines/adapters/sb3.py#SB3Policy.nothing)", "docs/how-to/play.md", PAGES, None)


def test_a_copied_file_of_code_has_an_anchor_per_line(tmp_path):
    SOURCES.write_source(ROOT, "play.py", tmp_path)
    page = (tmp_path / "source" / "play.py.html").read_text(encoding="utf-8")
    assert all(f'id="L-{line}"' in page for line in range(1, 10))
    SOURCES.write_source(ROOT, "docs/results/ladder.json", tmp_path)
    copied = tmp_path / "source" / "docs" / "results" / "ladder.json"
    assert copied.read_bytes() == (ROOT / "docs" / "results" / "ladder.json").read_bytes()


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
    reference = "".join(page.read_text(encoding="utf-8") for page in (site / "reference").glob("*.html"))
    for environment_class in (MinesweeperEnv, MinesweeperVectorEnv, AzulejosEnv):
        path = f"{environment_class.__module__}.{environment_class.__qualname__}"
        names = [name for name, found in inspect.getmembers(environment_class, inspect.isfunction) if is_ours(found)]
        assert "step" in names
        assert not [name for name in names if f'id="{path}.{name}"' not in reference], "public methods are missing"
        assert "render_mode" in reference.partition(f'id="{path}"')[2][:5000], "the constructor is missing"


def is_ours(method) -> bool:
    """Returns whether a method is public and none of Gymnasium's own."""
    return not method.__name__.startswith("_") and not method.__module__.startswith("gymnasium")
