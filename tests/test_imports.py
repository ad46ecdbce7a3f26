"""Imports across the repository: lazy names, tests. `.importlinter` has the layers."""

from __future__ import annotations

from importlib import import_module

import pytest
from support.sources import check_lazy_exports, imported, modules_of

PACKAGES_WITH_LAZY_NAMES = (
    "minesweeper_env",
    "minesweeper_env.inference",
    "baselines",
    "baselines.learned",
)


def test_no_test_module_imports_from_another():
    names = {path.stem for path in modules_of("tests") if path.stem.startswith("test_")}
    for path in modules_of("tests"):
        borrowed = [name for name in imported(path) if name.split(".")[-1] in names or name.startswith("tests")]
        assert not borrowed, f"{path} imports {borrowed}; what tests share belongs in tests/support"


@pytest.mark.parametrize("package", PACKAGES_WITH_LAZY_NAMES)
def test_dir_lists_the_public_names_and_type_checkers_see_the_same(package):
    check_lazy_exports(package)


@pytest.mark.parametrize("package", PACKAGES_WITH_LAZY_NAMES)
def test_every_public_name_can_be_imported(package):
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
