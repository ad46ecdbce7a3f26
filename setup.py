"""The long description of the package: README.md, with links that work outside the repository.

Everything else is in setup.cfg.
"""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")
"""A link or an image of Markdown, such as `[text](docs/install.md#cache)`, whose target is a file of the repository."""


def package_page(readme: str, source: str | None, version: str) -> str:
    """Returns the page of the package for an index such as PyPI.

    Args:
        readme: README.md, with links relative to the root of the repository.
        source: address of the repository on GitHub; None without one.
        version: the files are those of the tag `v` + version.

    Returns:
        The readme with absolute links. Without a repository, links become their text, and images are left out.
    """

    def absolute(link: re.Match[str]) -> str:
        mark, text, target = link.groups()
        if source is not None:
            return f"{mark}[{text}]({source}/{'raw' if mark else 'blob'}/v{version}/{target})"
        return "" if mark else text

    page = re.sub(r"<!--.*?-->\n*", "", _LINK.sub(absolute, readme), flags=re.DOTALL)
    return re.sub(r"\n{3,}", "\n\n", page)


def source_address(root: Path) -> str | None:
    """Returns the address of the repository from setup.cfg; None without one."""
    settings = ConfigParser(interpolation=None)
    settings.read(root / "setup.cfg", encoding="utf-8")
    lines = settings["metadata"]["project_urls"].strip().splitlines()
    addresses = dict(re.split(r"\s*=\s*", line, maxsplit=1) for line in lines)
    return addresses["Source"].rstrip("/") if "Source" in addresses else None


def package_version(root: Path) -> str:
    """Returns the version of the package without an import.

    Raises:
        ValueError: minesweeper_env/__init__.py has no line with the version.
    """
    found = re.search(
        r'^__version__ = "(.+)"$', (root / "minesweeper_env/__init__.py").read_text("utf-8"), re.MULTILINE
    )
    if found is None:
        raise ValueError('minesweeper_env/__init__.py must have a line __version__ = "..."')
    return found[1]


if __name__ == "__main__":
    here = Path(__file__).parent
    readme = (here / "README.md").read_text(encoding="utf-8")
    setup(long_description=package_page(readme, source_address(here), package_version(here)))
