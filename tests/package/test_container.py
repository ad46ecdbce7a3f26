"""Kernels compiled for a generic processor, as in the image of the Dockerfile."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support import ROOT

PROCESSOR = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


@pytest.mark.slow
def test_kernels_that_are_there_are_not_compiled_again(tmp_path):
    def play(**changed: str) -> dict[str, int]:
        """Begins a game in a new process; returns the times of the files of compiled code."""
        variables = os.environ | PROCESSOR | {"NUMBA_CACHE_DIR": str(tmp_path)} | changed
        code = "import gymnasium, minesweeper_env; gymnasium.make('Minesweeper-v0', size=4, mines=2).reset(seed=0)"
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=variables, check=True)
        return {path.name: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb[ic]")}

    compiled = play()
    assert compiled
    assert play() == compiled
    # Numba compares the names and the features, so that another list of features is another processor.
    assert play(NUMBA_CPU_FEATURES="+sse2") != compiled
