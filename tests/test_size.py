"""Size of the project: a ceiling of Python lines for each top-level folder, to be lowered whenever code goes."""

from __future__ import annotations

import pytest
from support import ROOT

CEILINGS = {
    "azulejos_env": 4_500,
    "baselines": 33_000,
    "benchmarks": 2_550,
    "docs": 2_400,
    "minesweeper_env": 14_250,
    "minesweeper_play": 11_350,
    "tests": 37_350,
}


def lines(folder: str) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("folder", CEILINGS)
def test_a_folder_does_not_outgrow_its_ceiling(folder):
    assert lines(folder) <= CEILINGS[folder]
