"""Public names: the list of public modules, and complete `__all__` lists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support.sources import dotted, modules_of, tree_of

PUBLIC = (
    "azulejos_env",
    "azulejos_env.aec",
    "azulejos_env.config",
    "azulejos_env.env",
    "azulejos_env.match",
    "azulejos_env.policies",
    "azulejos_env.position",
    "azulejos_env.search",
    "azulejos_env.tree",
    "baselines",
    "baselines.adapters",
    "baselines.learned",
    "baselines.policy",
    "baselines.registry",
    "minesweeper_env",
    "minesweeper_env.cell_sets",
    "minesweeper_env.codes",
    "minesweeper_env.config",
    "minesweeper_env.env",
    "minesweeper_env.generation",
    "minesweeper_env.inference",
    "minesweeper_env.inference.kernels",
    "minesweeper_env.inference.optimal",
    "minesweeper_env.observations",
    "minesweeper_env.registration",
    "minesweeper_env.rendering",
    "minesweeper_env.rewards",
    "minesweeper_env.testing",
    "minesweeper_env.vector_env",
    "minesweeper_env.wrappers",
)
PACKAGES = ("azulejos_env", "minesweeper_env", "baselines", "minesweeper_play")
MODULES = {dotted(path): path for package in PACKAGES for path in modules_of(package)}


def defined_names(path: Path) -> set[str]:
    """Returns the names that a module defines at its top level, imported ones excluded."""
    names: set[str] = set()
    for node in tree_of(path).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return names


def listed_names(path: Path) -> set[str] | None:
    """Returns the names in the `__all__` of a module, or None if it has none."""
    for node in tree_of(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return None


def test_a_module_is_public_if_it_has_a_list_of_its_names():
    assert {name for name, path in MODULES.items() if listed_names(path) is not None} == set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_lists_every_name_that_it_defines(name):
    path = MODULES[name]
    assert {each for each in defined_names(path) if not each.startswith("_")} <= (listed_names(path) or set())


@pytest.mark.parametrize("package", ["azulejos_env", "minesweeper_env", "baselines"])
def test_a_package_says_which_of_its_modules_are_public(package):
    assert "public if it has an `__all__`" in (ast.get_docstring(tree_of(MODULES[package])) or "")
