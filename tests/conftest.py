"""Settings that all tests share."""

from __future__ import annotations

from hypothesis import settings

# The examples are the same on every run, and slow compilation at the first call is no failure.
settings.register_profile("reproducible", derandomize=True, deadline=None, database=None, max_examples=60)
settings.load_profile("reproducible")
