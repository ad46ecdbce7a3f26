"""Contents of the wheel: every file that the code reads, and no plots or results."""

from __future__ import annotations

from configparser import ConfigParser

import pytest
from support.sources import ROOT

NOT_READ = {"curves.png", "results.json", "README.md"}


def declared(package: str) -> set[str]:
    """The files that the package data of setup.cfg match."""
    settings = ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    patterns = settings["options.package_data"][package].split()
    found = {pattern: list((ROOT / package).glob(pattern)) for pattern in patterns}
    assert all(found.values()), f"a pattern matches nothing: {found}"
    return {path.relative_to(ROOT).as_posix() for paths in found.values() for path in paths}


@pytest.mark.parametrize(
    "package", ["azulejos_env", "minesweeper_env", "baselines", "minesweeper_play", "minesweeper_text"]
)
def test_package_data_are_all_files_that_the_code_reads_and_no_others(package):
    there = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts and path.name not in NOT_READ
    }
    assert declared(package) == there
