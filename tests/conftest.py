"""Settings of all tests."""

import os
import sys

import pytest
from hypothesis import settings

# The tests share the cores already: more threads of torch would wait for each other. Set before torch is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# It needs a POSIX terminal.
collect_ignore = ["minesweeper_play/terminal/test_real_terminal.py"] if sys.platform == "win32" else []

# Each run draws the same examples. No deadline: the first call of a kernel compiles it.
settings.register_profile("reproducible", derandomize=True, deadline=None, database=None, max_examples=60)
settings.load_profile("reproducible")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Puts the slow tests first: short ones at the end leave no process without work for long."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True)
def no_columns(monkeypatch):
    """Lets output be as wide as where no terminal is, wherever the tests run."""
    monkeypatch.delenv("COLUMNS", raising=False)
    # The module readline, which pytest imports, hands both to child processes without the knowledge of os.environ.
    os.unsetenv("COLUMNS")
    os.unsetenv("LINES")
