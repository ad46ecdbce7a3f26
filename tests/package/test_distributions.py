"""The files that are published: an sdist with every tracked file, and a wheel that it builds."""

from __future__ import annotations

import subprocess
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import ROOT
from support.processes import run_python

from minesweeper_env import __version__

pytestmark = pytest.mark.slow


def tool(module: str, *arguments: str) -> str:
    """Runs a tool of the development extra, and returns what it prints; skips where the tool is absent."""
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed; the extra dev has it")
    done = run_python("-m", module, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked_files() -> set[str]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("only a clone knows which files are tracked")
    return set(done.stdout.splitlines())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist of this tree, and the wheel that `build` makes from the unpacked sdist."""
    folder = tmp_path_factory.mktemp("dist")
    tool("build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def names_in(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as archive:
        return {each.name.partition("/")[2] for each in archive.getmembers() if each.isfile()}


def test_the_sdist_has_every_tracked_file(built):
    assert tracked_files() - names_in(built[0]) == set()


def test_the_wheel_has_the_packages_alone_and_no_byte_code(built):
    with zipfile.ZipFile(built[1]) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    info = f"minesweeper_env-{__version__}.dist-info"
    assert tops == {"azulejos_env", "baselines", "minesweeper_env", "minesweeper_play", "minesweeper_text", info}
    assert not [name for name in names if name.endswith((".pyc", ".nbi", ".nbc"))]
    assert f"{info}/licenses/LICENSE" in names


def test_the_index_would_take_both_files(built):
    assert "WARNING" not in tool("twine", "check", "--strict", *map(str, built))
