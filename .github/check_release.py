"""Check that this tree can be released under a tag: `python .github/check_release.py v0.1.0`.

The command prints one line per problem, and exits with status 1 if there is one.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Iterator, Sequence
from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def problems(root: Path, tag: str) -> Iterator[str]:
    """Yields one line per reason why a tree must not be released.

    Args:
        root: folder of the tree.
        tag: name of the tag of the release.
    """
    readers = runpy.run_path(str(root / "setup.py"))
    version = readers["package_version"](root)
    if tag != f"v{version}":
        yield f"the tag must be v{version}, the version of minesweeper_env, not {tag}"
    if readers["source_address"](root) is None:
        yield "project_urls in setup.cfg must have a line `Source = https://...`"
    yield from _address_problems(root)
    yield from _changelog_problems(root, version)
    if f"\nversion: {version}\n" not in _text(root / "CITATION.cff"):
        yield f"CITATION.cff must have the line `version: {version}`"


def _address_problems(root: Path) -> Iterator[str]:
    settings = ConfigParser(interpolation=None)
    settings.read_string(_text(root / "setup.cfg"))
    address = settings["metadata"].get("author_email", "")
    if not address or address.endswith(".invalid"):
        yield f"author_email in setup.cfg must be an address that receives mail, not {address!r}"


def _changelog_problems(root: Path, version: str) -> Iterator[str]:
    heading = re.search(rf"^## {re.escape(version)}(?: \((.*)\))?$", _text(root / "CHANGELOG.md"), re.MULTILINE)
    if heading is None:
        yield f"CHANGELOG.md must have the heading `## {version} (YEAR-MONTH-DAY)`"
    elif heading[1] is None or not re.fullmatch(r"\d{4}-\d\d-\d\d", heading[1]):
        yield f"the heading {version} of CHANGELOG.md must state a date (YEAR-MONTH-DAY), not {heading[1]!r}"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Prints the problems of this tree, and returns the exit status: 2 without exactly one tag."""
    if len(arguments) != 1:
        print("usage: python .github/check_release.py TAG", file=sys.stderr)
        return 2
    found = list(problems(ROOT, arguments[0]))
    for problem in found:
        print(f"check_release: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
