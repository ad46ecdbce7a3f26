"""Size of the project: a ceiling of Python lines for each top-level folder, to be lowered whenever code goes."""

from __future__ import annotations

import pytest
from support import ROOT

CEILINGS = {
    "azulejos_env": 2_420,
    "baselines": 23_850,
    "benchmarks": 1_780,
    "docs": 1_020,
    "examples": 100,
    "minesweeper_env": 13_100,
    "minesweeper_play": 8_350,
    "tests": 30_800,
}


def lines(folder: str) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("folder", CEILINGS)
def test_a_folder_does_not_outgrow_its_ceiling(folder):
    assert lines(folder) <= CEILINGS[folder]
