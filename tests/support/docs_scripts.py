"""Modules of docs/, which is no package."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from support import ROOT

DOCS = ROOT / "docs"


def load_script(name: str) -> ModuleType:
    """Returns a module of docs/ as `python docs/build.py` sees it: its neighbours can be imported."""
    # First on the path: other packages are called `build`, too.
    if str(DOCS) not in sys.path:
        sys.path.insert(0, str(DOCS))
    return importlib.import_module(name)
