"""Optional dependencies, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message says which extra installs it."""


def import_extra(module: str, extra: str = "baselines") -> ModuleType:
    """Imports an optional dependency.

    Args:
        module: name of the module.
        extra: extra of this package that installs it.

    Raises:
        MissingExtraError: the module is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{package} is not installed; install it with: pip install 'minesweeper-env[{extra}]'"
        ) from error
