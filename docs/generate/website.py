"""Source of the site: the pages of docs, pages of other folders, and pages that come from the code.

    python docs/generate/website.py

writes them into build/documentation, where `mkdocs build` reads them. Links between pages stay relative. A link to a
file that is no page leads into the repository, or to a copy on the site while setup.cfg names no repository. The
anchor of a link to a Python file is a class, function or `Class.method`; the site makes it the line of its definition.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from configparser import ConfigParser
from functools import partial
from pathlib import Path

import reference
from places import DOCS, ROOT
from sources import line_of, site_path, write_source

TARGET = ROOT / "build" / "documentation"

OTHERS = {
    "CHANGELOG.md": "about/changelog.md",
    "CONTRIBUTING.md": "about/contributing.md",
    "benchmarks/README.md": "studies/speed.md",
    "baselines/scripted/README.md": "studies/replicas.md",
    "baselines/learned/weights/README.md": "agents/weights.md",
}
"""Pages outside docs, by their place in the repository, and their places on the site."""

WIDE = ("docs/leaderboard.md",)
"""Pages without a table of contents on the right, whose tables take its room."""

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
"""A link or picture of Markdown whose target is a file; the text may hold a picture."""

_COPIED = ("docs/images/", "docs/examples/")
"""Folders that the site has as they are."""


def write_site() -> None:
    """Writes the folder that MkDocs reads, which it empties before."""
    shutil.rmtree(TARGET, ignore_errors=True)
    for source, place in places().items():
        text = (ROOT / source).read_text(encoding="utf-8")
        head = "---\nhide: [toc]\n---\n\n" if source in WIDE else ""
        _write(place, head + relinked(text, source, places(), _repository()))
    for place, text in reference.pages():
        _write(place, text)
    for folder in ("images", "examples", "stylesheets"):
        shutil.copytree(DOCS / folder, TARGET / folder)
    for picture in (ROOT / "baselines").glob("*/weights/*/*.png"):
        _copy(picture)
    if _repository() is None:
        for path in sorted(linked_files(places())):
            write_source(ROOT, path, TARGET)


def linked_files(pages: Iterable[str]) -> set[str]:
    """Returns the files of the repository, beside pages and pictures, that pages link to."""
    found = set()
    for source in pages:
        for link in _LINK.finditer((ROOT / source).read_text(encoding="utf-8")):
            path = _target(source, link[3])
            if not link[1] and path not in OTHERS and not path.endswith(".md") and (ROOT / path).is_file():
                found.add(path)
    return {path for path in found if not path.startswith(_COPIED)}


def places() -> dict[str, str]:
    """Returns the place on the site of each page that is a file of the repository."""
    own = {page.relative_to(ROOT).as_posix(): page.relative_to(DOCS).as_posix() for page in sorted(DOCS.rglob("*.md"))}
    return own | OTHERS


def relinked(text: str, source: str, pages: dict[str, str], repository: str | None) -> str:
    """Returns a page with the links that it needs on the site.

    Args:
        text: the page, with links relative to its place in the repository.
        source: this place.
        pages: the place on the site of each page; see `places`.
        repository: the address under which the files of the repository can be read; None without one.
    """
    return _LINK.sub(partial(_relink, source=source, pages=pages, repository=repository), text)


def _relink(link: re.Match[str], source: str, pages: dict[str, str], repository: str | None) -> str:
    mark, text, target, anchor = link[1], _LINK.sub(lambda inner: inner[0], link[2]), link[3], link[4] or ""
    path = _target(source, target)
    here = os.path.dirname(pages[source])
    if path in pages:
        return f"{mark}[{text}]({os.path.relpath(pages[path], here or '.')}{anchor})"
    if path.startswith(_COPIED):
        return f"{mark}[{text}]({os.path.relpath(path.removeprefix('docs/'), here or '.')})"
    if mark:
        return f"![{text}]({os.path.relpath(f'images/{path}', here or '.')})"
    line = line_of(ROOT / path, anchor.removeprefix("#")) if anchor and path.endswith(".py") else 0
    if repository:
        return f"[{text}]({repository}/{path}{f'#L{line}' if line else anchor})"
    if (ROOT / path).is_file():
        return f"[{text}]({os.path.relpath(site_path(path), here or '.')}{f'#L-{line}' if line else ''})"
    return text


def _target(source: str, target: str) -> str:
    """Returns the path in the repository of the target of a link."""
    return os.path.normpath(os.path.join(os.path.dirname(source), target))


def _repository() -> str | None:
    """Returns the address of the files of the repository from setup.cfg, if it names one."""
    settings = ConfigParser(interpolation=None)
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    found = re.search(r"^Source *= *(\S+)", settings["metadata"]["project_urls"], re.MULTILINE)
    return f"{found[1].rstrip('/')}/blob/main" if found else None


def _copy(picture: Path) -> None:
    place = TARGET / "images" / picture.relative_to(ROOT)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(picture, place)


def _write(place: str, text: str) -> None:
    path = TARGET / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_site()
