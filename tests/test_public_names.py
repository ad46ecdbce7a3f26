"""Public names: the list of public modules, and complete `__all__` lists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support.sources import check_lazy_exports, dotted, imported, modules_of, tree_of

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
    "minesweeper_env.text",
    "minesweeper_env.vector_env",
    "minesweeper_env.wrappers",
    "minesweeper_text",
)
PACKAGES = ("azulejos_env", "minesweeper_env", "baselines", "minesweeper_play", "minesweeper_text")
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
    assigned = (node for node in tree_of(path).body if isinstance(node, ast.Assign))
    lists = (set(ast.literal_eval(node.value)) for node in assigned if ast.unparse(node.targets[0]) == "__all__")
    return next(lists, None)


def test_a_module_is_public_if_it_has_a_list_of_its_names():
    assert {name for name, path in MODULES.items() if listed_names(path) is not None} == set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_lists_every_name_that_it_defines(name):
    path = MODULES[name]
    assert {each for each in defined_names(path) if not each.startswith("_")} <= (listed_names(path) or set())


@pytest.mark.parametrize("package", ["minesweeper_env", "minesweeper_env.inference", "baselines", "baselines.learned"])
def test_a_package_with_lazy_names_has_them_in_dir_and_for_type_checkers(package):
    check_lazy_exports(package)


def test_no_test_module_imports_from_another():
    names = {path.stem for path in modules_of("tests") if path.stem.startswith("test_")}
    for path in modules_of("tests"):
        borrowed = [name for name in imported(path) if name.split(".")[-1] in names or name.startswith("tests")]
        assert not borrowed, f"{path} imports {borrowed}; what tests share belongs in tests/support"
