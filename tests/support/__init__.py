"""Shared helpers of the tests."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The root of the repository."""


def code_blocks(page: str, language: str = "python") -> list[str]:
    """Returns the blocks of code of a page, whose path is relative to the root."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
