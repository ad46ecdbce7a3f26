"""Modules of docs/generate, which is no package."""

import importlib
import sys
from types import ModuleType

from support import ROOT

SCRIPTS = ROOT / "docs" / "generate"


def load_script(name: str) -> ModuleType:
    """Returns a module of docs/generate as `python docs/generate/pages.py` sees it: its neighbours can be imported."""
    if str(SCRIPTS) not in sys.path:
        sys.path.append(str(SCRIPTS))
    return importlib.import_module(name)
