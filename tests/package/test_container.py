"""The Dockerfile: what it installs, who runs it, and that its compiled kernels are used."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from configparser import ConfigParser

import pytest
from support import ROOT

TEXT = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
LINES = [line for line in TEXT.splitlines() if line and not line.startswith("#")]
VARIABLES = dict(
    pair.split("=", 1) for line in LINES if line.startswith("ENV") for pair in line.removeprefix("ENV").split()
)
PROCESSOR = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


def first(beginning: str) -> int:
    return next(number for number, line in enumerate(LINES) if line.startswith(beginning))


def test_pytorch_is_that_of_the_makefile_from_the_index_without_gpus():
    pin = re.search(r"^TORCH = (\S+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert pin is not None
    assert f"pip install --no-cache-dir {pin[1]} --index-url https://download.pytorch.org/whl/cpu" in TEXT


def test_the_extras_exist():
    settings = ConfigParser(interpolation=None)
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    named = re.search(r"\.whl\)\[([\w,]+)\]", TEXT)
    assert named is not None
    assert set(named[1].split(",")) <= set(settings["options.extras_require"])


def test_kernels_are_compiled_for_a_generic_processor_by_a_user_without_rights():
    assert {name: VARIABLES[name].strip('"') for name in PROCESSOR} == PROCESSOR
    assert first("ENV") < first("USER") < first("RUN python -m baselines warm-up")
    assert LINES[first("USER")] != "USER root"
    assert LINES[-1].startswith("CMD")


def test_the_context_has_every_file_of_the_wheel():
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    packages = ("azulejos_env", "baselines", "minesweeper_env", "minesweeper_play")
    assert not [name for name in left_out if name.split("/")[0] in (*packages, "setup.cfg", "README.md")]


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
