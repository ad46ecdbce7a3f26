"""Settings of all tests."""

from __future__ import annotations

import pytest
from hypothesis import settings

# Each run draws the same examples. No deadline: the first call of a kernel compiles it.
settings.register_profile("reproducible", derandomize=True, deadline=None, database=None, max_examples=60)
settings.load_profile("reproducible")


@pytest.fixture(autouse=True)
def no_columns(monkeypatch):
    """Lets output be as wide as where no terminal is, wherever the tests run."""
    monkeypatch.delenv("COLUMNS", raising=False)
