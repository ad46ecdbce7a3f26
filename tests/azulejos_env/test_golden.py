"""Golden games: the engine replays recorded games exactly, compiled or not."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support import ROOT
from support.azulejos_transcripts import FOLDER, GAMES, transcript


def test_each_recorded_game_is_known():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_games_are_the_recorded_ones(name):
    assert transcript(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_games_are_the_same_without_compilation():
    code = "from support.azulejos_transcripts import transcript\nprint(*(transcript(name) for name in %r), sep='')"
    names = ["greedy", "random_seat", "alone"]
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code % names],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    recorded = "".join((FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in names)
    assert (result.stdout, result.stderr) == (f"{recorded}\n", "")
