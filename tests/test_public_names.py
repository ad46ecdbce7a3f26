"""Public names: complete `__all__` lists, at run time and for type checkers."""

import ast
from pathlib import Path

import pytest
from support.sources import check_lazy_exports, dotted, modules_of, tree_of

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


PUBLIC = [name for name, path in MODULES.items() if listed_names(path) is not None]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_lists_every_name_that_it_defines(name):
    path = MODULES[name]
    assert {each for each in defined_names(path) if not each.startswith("_")} <= listed_names(path)


@pytest.mark.parametrize(
    "package", ["azulejos_env", "minesweeper_env", "minesweeper_env.inference", "baselines", "baselines.learned"]
)
def test_a_package_with_lazy_names_has_them_in_dir_and_for_type_checkers(package):
    check_lazy_exports(package)
