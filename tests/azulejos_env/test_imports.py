"""Imports of the second game: few dependencies, loaded lazily. `.importlinter` has the layers."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.sources import check_lazy_exports, imported, modules_of

MODULES = modules_of("azulejos_env")

# Of the first game it takes what knows no mines: the compiler's decorators, random numbers, checks of arguments, tiles
# and windows.
TAKEN = {
    "minesweeper_env.checks",
    "minesweeper_env.compiled",
    "minesweeper_env.config",
    "minesweeper_env.engine.rules",
    "minesweeper_env.lazy",
    "minesweeper_env.notices",
    "minesweeper_env.rendering",
    "minesweeper_env.window",
    "minesweeper_env.splitmix",
}
ALLOWED = {"numpy", "gymnasium", "numba", "pettingzoo", "azulejos_env", "minesweeper_env"} | set(
    sys.stdlib_module_names
)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_the_game_imports_nothing_heavy_and_little_of_the_other(path):
    names = imported(path)
    assert {name.split(".")[0] for name in names} <= ALLOWED
    taken = {name for name in names if name.startswith("minesweeper_env.")}
    assert path.stem == "aec" or "pettingzoo" not in {name.split(".")[0] for name in names}
    assert {name for name in taken if name not in TAKEN and name.rpartition(".")[0] not in TAKEN} == set()


@pytest.mark.parametrize("order", ["azulejos_env, gymnasium", "gymnasium, azulejos_env"])
def test_importing_the_package_registers_the_id_and_loads_no_compiler(order):
    code = f"import sys, {order}\ngymnasium.spec('Azulejos-v0')\nprint('numba' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_the_public_names_are_those_that_type_checkers_see():
    check_lazy_exports("azulejos_env")
