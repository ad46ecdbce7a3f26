"""Who imports whom: what `baselines` offers, and what it takes from `minesweeper_env`."""

from __future__ import annotations

from importlib import import_module

import pytest
from support.sources import check_lazy_exports

PACKAGES_WITH_LAZY_NAMES = ("baselines", "baselines.learned")


@pytest.mark.parametrize("package", PACKAGES_WITH_LAZY_NAMES)
def test_dir_lists_the_public_names_and_type_checkers_see_the_same(package):
    check_lazy_exports(package)


@pytest.mark.parametrize("package", PACKAGES_WITH_LAZY_NAMES)
def test_every_public_name_can_be_imported(package):
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
