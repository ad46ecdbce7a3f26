"""Agreement of the documents with the code, and the site that they make."""

import contextlib
import doctest
import inspect
import io
import pkgutil
import re
import sys
from types import SimpleNamespace

import imageio
import pygame
import pytest
from PIL import Image
from support import ROOT, code_blocks
from support.docs_scripts import load_script
from support.processes import run_python

import baselines.registry
from baselines import Policy
from baselines.adapters import FunctionPolicy, PredictPolicy, SB3Policy, TorchPolicy
from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv

GUIDES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [*GUIDES, *DOCS, *sorted((ROOT / "baselines").rglob("*.md"))]
# Studies describe earlier versions, so they may name removed code.
CURRENT_PAGES = [page for page in PAGES if "studies" not in page.parts]
FOLDERS = ("azulejos_env", "minesweeper_env", "baselines", "minesweeper_play", "tests", "docs", "benchmarks")
EXAMPLES = ("corners.py", "mine.py", "quiet.py")
"""Files that the reader of CONTRIBUTING.md, the benchmark and the page about own policies writes."""


def page_of(policy):
    """Returns the page with the section of a policy."""
    for page in [*(ROOT / "docs/policies").glob("*.md"), *(ROOT / "docs/agents").glob("*.md")]:
        if f"\n## {policy}\n" in page.read_text("utf-8"):
            return page
    raise AssertionError(f"a page of docs/policies or docs/agents needs a section {policy}")


@pytest.mark.parametrize(
    "page", sorted({page_of(name) for name in baselines.registry.policy_names()}), ids=lambda page: page.stem
)
def test_a_page_lists_the_options_of_its_policies_and_no_others(page):
    names = [name for name in baselines.registry.policy_names() if page_of(name) == page]
    tables = re.findall(r"^\| option \|.*\n((?:\|.*\n)*)", page.read_text("utf-8"), re.MULTILINE)
    listed = {option for table in tables for option in re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)}
    makers = [baselines.registry.find_policy(name).make for name in names]
    assert listed == {option for make in makers for option in list(inspect.signature(make).parameters)[1:]}


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/diagnostics.md"])
def test_the_code_of_a_page_runs_and_prints_what_it_shows(page):
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for code in code_blocks(page):
            exec(compile(code, page, "exec"), names)
    assert "".join(code_blocks(page, "text")) == printed.getvalue()


@pytest.mark.parametrize(("page", "least"), [("studies/inference.md", 8), ("concepts/game.md", 7)])
def test_the_sessions_of_a_page_print_what_it_says(page, least):
    session = "\n".join(code_blocks(f"docs/{page}", "pycon"))
    examples = doctest.DocTestParser().get_doctest(session, {}, page, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    failed, attempted = runner.run(examples)
    assert attempted >= least
    assert failed == 0


OWN_TESTS = {"tutorial", "diagnostics", "libraries", "own-policy", "language-models", "grpo", "offline-data"}
"""Pages with Python blocks that other tests run; those of each other page run in turn, as one session."""
PAGES_WITH_CODE = [page for page in DOCS if page.stem not in OWN_TESTS and code_blocks(page)]


class Clip:
    """Stand-in for moviepy's clip, which Gymnasium's `RecordVideo` writes: moviepy is not installed here."""

    def __init__(self, frames, fps):
        self.frames, self.fps = frames, fps

    def write_videofile(self, path, **_):
        imageio.mimwrite(path, self.frames, fps=self.fps)


@pytest.fixture
def no_display(monkeypatch):
    """Opens windows without a display, closes them after half a second, and writes videos without moviepy."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for name in ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(ImageSequenceClip=Clip))
    pygame.init()
    pygame.time.set_timer(pygame.QUIT, 500)
    yield
    pygame.quit()


@pytest.mark.slow
@pytest.mark.usefixtures("no_display")
@pytest.mark.parametrize("page", PAGES_WITH_CODE, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # Some blocks write files.
    monkeypatch.syspath_prepend(tmp_path)
    names = {}
    for code in code_blocks(page):
        if name := re.match(r"# (\w+\.py)\n", code):
            (tmp_path / name[1]).write_text(code, encoding="utf-8")
        exec(compile(code, page, "exec"), names)


def text_of(page):
    """Returns a page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page):
    """Returns the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def for_each(pages):
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


@for_each(PAGES)
def test_links_lead_to_files_and_headings_that_exist_and_no_text_becomes_a_heading(page):
    for target in re.findall(r"\]\(([^):]+)\)", text_of(page)):
        name, _, anchor = target.partition("#")
        path = (page.parent / name) if name else page
        assert path.exists(), f"{page.name} links to {target}, a file that does not exist"
        if path.suffix == ".py" and anchor:
            name = anchor.rpartition(".")[2]
            assert re.search(rf"^ *(?:def|class) {name}\b", path.read_text(encoding="utf-8"), re.MULTILINE), target
        else:
            assert not anchor or anchor in anchors(path), f"{page.name} links to {target}, a heading that is not there"
    # Python-Markdown makes a heading of each line that begins with #, also without a space.
    assert not re.findall(r"^#+[^# \n].*$", text_of(page), re.MULTILINE)


@for_each(CURRENT_PAGES)
def test_files_and_dotted_names_on_a_page_exist(page):
    files = [path.as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    for name in re.findall(r"`([^`\n]+)`", text_of(page)):
        if re.search(r"[A-Z]{3}|\.\.\.", name) or name.endswith(EXAMPLES):
            continue
        if re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w./*-]*", name):
            assert any(ROOT.glob(name.rstrip("/"))), f"{page.name} names {name}"
        elif re.fullmatch(r"[\w/]+\.py", name):
            exists = (ROOT / name).exists() or any(path.endswith(f"/{name}") for path in files)
            assert exists, f"{page.name} names {name}"
        elif found := re.match(r"(?:minesweeper_env|baselines|minesweeper_play)(?:\.\w+)+(?=$|\()", name):
            assert pkgutil.resolve_name(found[0]) is not None


# The site builds without a warning, and its links lead somewhere

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
        ("[code](../../examples/dqn.py#Agent)", "", "[code](../examples/dqn.md)"),
        ("[rules](../../CONTRIBUTING.md#rules)", "", "[rules](../about/contributing.md#rules)"),
        ("[code](../../play.py#name)", "https://host/x", "[code](https://host/x/blob/main/play.py)"),
        ("![a](../images/a.png)", "", "![a](../images/a.png)"),
        ("[far](https://example.org/a.md)", "", "[far](https://example.org/a.md)"),
    ],
)
def test_a_link_to_a_file_that_the_site_lacks_leads_to_the_repository(link, repository, shown):
    page = SimpleNamespace(file=SimpleNamespace(src_uri="how-to/play.md"))
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
    "name",
    ["agents.png", "bayes-times.png", "uniformity.png", "bayes-network.png", "first-clicks.png", "leaderboard.png"],
)
def test_each_picture_is_a_small_png_of_the_common_width(name):
    content = pictures.PICTURES[name]()
    picture = Image.open(io.BytesIO(content))
    assert (picture.format, picture.width) == ("PNG", 864)
    assert len(content) < 150_000
