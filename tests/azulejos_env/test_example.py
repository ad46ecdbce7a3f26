"""Example that trains an agent: it runs from the first step to the last game."""

from __future__ import annotations

import runpy
import sys

import pytest
from support import ROOT

pytest.importorskip("sb3_contrib", reason="needs the extra train")


@pytest.mark.slow
def test_the_example_trains_and_plays(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["azulejos_ppo.py", "--steps", "100", "--games", "5"])
    runpy.run_path(str(ROOT / "examples" / "azulejos_ppo.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["against random", "against greedy"]
    assert all("of 5 won" in line for line in lines)
