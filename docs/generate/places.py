"""Places of the documentation: its folder, and the page of each policy."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[1]
"""The folder of the documentation."""

ROOT = DOCS.parent
"""The folder of the repository."""

FOLDERS = ("policies", "agents")
"""The folders with a page for each policy: scripted policies, and trained agents."""


def policy_page(policy: str) -> str:
    """Returns the path of the page of a policy, relative to the documentation.

    Raises:
        ValueError: the policy has no page.
    """
    for folder in FOLDERS:
        if (DOCS / folder / f"{policy}.md").exists():
            return f"{folder}/{policy}.md"
    raise ValueError(f"{policy} has no page; write docs/policies/{policy}.md in the form of CONTRIBUTING.md")
