"""The installed programs name a package `baselines` that is not ours."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest
from support import ROOT

from minesweeper_env.programs import own_package
from minesweeper_env.programs.own_package import check_baselines

PROGRAMS = (
    "from minesweeper_env.programs.installed import evaluate as main",
    "from minesweeper_env.programs.installed import train as main",
    "from minesweeper_play.__main__ import main",
)


def run(program, folder, monkeypatch):
    """Runs a program where a folder comes first on the path of modules."""
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{ROOT}")
    code = f"import sys\n{program}\nsys.argv = ['program', '--help']\nsys.exit(main())"
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_foreign_package_is_named_in_one_line(tmp_path, monkeypatch, program):
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines" / "__init__.py").touch()
    done = run(program, tmp_path, monkeypatch)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1, "")
    assert line.startswith(
        f"minesweeper-env: {tmp_path / 'baselines'} is not the package baselines of minesweeper-env;"
    )


def test_a_folder_that_is_no_package_hides_nothing(tmp_path, monkeypatch):
    (tmp_path / "baselines").mkdir()
    assert run(PROGRAMS[0], tmp_path, monkeypatch).returncode == 0


def test_our_own_package_passes():
    check_baselines()


@pytest.mark.parametrize("path", [["/site/baselines"], None])
def test_the_distribution_of_a_foreign_package_is_named(monkeypatch, path):
    foreign = ModuleType("baselines")
    foreign.__file__ = "/site/baselines.py"
    if path is not None:
        foreign.__path__ = path
    monkeypatch.setitem(sys.modules, "baselines", foreign)
    monkeypatch.setattr(own_package, "packages_distributions", lambda: {"baselines": ["minesweeper-env", "baselines"]})
    monkeypatch.setattr(own_package, "version", {"baselines": "0.1.6"}.__getitem__)
    with pytest.raises(SystemExit) as stopped:
        check_baselines()
    place = "/site/baselines" if path else "/site/baselines.py"
    assert stopped.value.code == (
        f"minesweeper-env: {place} is not the package baselines of minesweeper-env; "
        "uninstall baselines 0.1.6, then reinstall minesweeper-env"
    )
