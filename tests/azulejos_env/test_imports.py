"""Imports of the second game: few dependencies, and layers that import in one direction."""

from __future__ import annotations

import sys

import pytest
from support.sources import check_layers, import_circles, imported, modules_of

MODULES = modules_of("azulejos_env")

# Of the first game it takes what knows no mines: the compiler's decorators, the generator, checks of sizes.
TAKEN = {"minesweeper_env.compiled", "minesweeper_env.config", "minesweeper_env.splitmix"}
ALLOWED = {"numpy", "gymnasium", "numba", "azulejos_env", "minesweeper_env"} | set(sys.stdlib_module_names)

# A part, which is a module or a folder, imports only parts of its own line and of the lines above it.
LAYERS = (
    {"config"},
    {"engine", "naive"},
    {"position"},
    {"searching"},
    {"search"},
    {"files", "policies", "tree"},
    {"__init__"},
)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_the_game_imports_nothing_heavy_and_little_of_the_other(path):
    names = imported(path)
    assert {name.split(".")[0] for name in names} <= ALLOWED
    modules = {".".join(name.split(".")[:2]) for name in names if name.startswith("minesweeper_env.")}
    assert modules <= TAKEN


def test_each_part_imports_only_what_lies_below_it():
    check_layers("azulejos_env", LAYERS)


def test_no_two_modules_import_each_other():
    assert import_circles(MODULES) == []
