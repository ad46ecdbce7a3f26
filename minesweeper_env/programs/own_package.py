"""Check that the package `baselines` which Python imports belongs to this distribution.

The name `baselines` is not unique: a distribution of OpenAI has a package of that name, and a folder `baselines` on
the path of modules hides an installed package.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

DISTRIBUTION = "minesweeper-env"
PACKAGE = "baselines"


def check_baselines() -> None:
    """Checks which package `baselines` Python imports.

    Raises:
        SystemExit: another one; the message is one line that names its place and its distribution.
    """
    package = import_module(PACKAGE)
    if "make_policy" not in getattr(package, "__all__", ()):
        sys.exit(f"{DISTRIBUTION}: {_place(package)} is not the package {PACKAGE} of {DISTRIBUTION}; {_remedy()}")


def _place(package: Any) -> str:
    """Returns the folder of a package; a package without an `__init__.py` may have several."""
    return str(Path(next(iter(package.__path__)))) if hasattr(package, "__path__") else str(package.__file__)


def _remedy() -> str:
    others = sorted(set(packages_distributions().get(PACKAGE, ())) - {DISTRIBUTION})
    if others:
        names = ", ".join(f"{name} {version(name)}" for name in others)
        return f"uninstall {names}, then reinstall {DISTRIBUTION}"
    return f"remove its folder from PYTHONPATH, run the command in another folder, or reinstall {DISTRIBUTION}"
