"""Optional dependencies, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message says which extra installs it."""


def import_extra(module: str, extra: str = "train") -> ModuleType:
    """Imports an optional dependency.

    Args:
        module: name of the module.
        extra: extra of this package that installs it.

    Raises:
        MissingExtraError: the module is not installed.
    """
    package = module.partition(".")[0]
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise missing_extra(module, extra) from error
    return import_module(module)


def check_extra(module: str, extra: str = "train") -> None:
    """Checks that an optional dependency is installed, without importing it.

    Args:
        module: name of a module that no package contains.
        extra: extra of this package that installs it.

    Raises:
        MissingExtraError: the module is not installed.
    """
    if find_spec(module) is None:
        raise missing_extra(module, extra)


def missing_extra(module: str, extra: str = "train") -> MissingExtraError:
    """Return the error that says which extra installs a module."""
    package = module.partition(".")[0]
    return MissingExtraError(f"{package} is not installed; install it with: pip install 'minesweeper-env[{extra}]'")
