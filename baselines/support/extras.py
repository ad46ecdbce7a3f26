"""Optional dependencies, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message says which extra of this package installs it."""


def import_extra(module: str, extra: str = "train") -> ModuleType:
    """Imports an optional dependency; raises MissingExtraError if it is not installed."""
    check_extra(module, extra)
    return import_module(module)


def check_extra(module: str, extra: str = "train") -> None:
    """Raises MissingExtraError if an optional dependency is not installed; imports nothing."""
    if find_spec(module.partition(".")[0]) is None:
        raise missing_extra(module, extra)


def missing_extra(module: str, extra: str = "train") -> MissingExtraError:
    """Returns the error that says which extra installs a module."""
    package = module.partition(".")[0]
    return MissingExtraError(f"{package} is not installed; install it with: pip install 'minesweeper-env[{extra}]'")
