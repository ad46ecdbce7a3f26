"""Hook of MkDocs: make pages of files outside docs, and lead links to such files to these pages or to the repository.

While `repo_url` is not set in mkdocs.yml, the text of a link to the repository stands without a link.
"""

import os
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1].resolve()
ROOT = DOCS.parent

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
"""A link of Markdown whose target is a file; the text may hold brackets."""

HIDDEN = {"leaderboard.md": ["toc"], "index.md": ["navigation", "toc"]}
"""The parts of the theme that leave their room to a page."""

MADE = (
    {ROOT / "README.md": "index.md"}
    | {ROOT / f"{name.upper()}.md": f"about/{name}.md" for name in ("changelog", "contributing", "security")}
    | {path: f"examples/{path.stem}.md" for path in sorted((ROOT / "examples").glob("*.py"))}
)
"""The pages of the site that are made from files of the repository."""


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Adds the pages of `MADE`; an example is shown as highlighted code. MkDocs calls this."""
    from mkdocs.structure.files import File

    for source, name in MADE.items():
        text = source.read_text(encoding="utf-8")
        page = text.replace("](docs/images/", "](images/")
        shown = page if source.suffix == ".md" else f"# {source.name}\n\n```python\n{text}```\n"
        files.append(File.generated(config, name, content=shown))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Returns a page whose links to files that the site lacks are mended; MkDocs calls this."""
    name = page.file.src_uri
    if name in HIDDEN:
        page.meta["hide"] = HIDDEN[name]
    sources = {made: source for source, made in MADE.items()}
    folder = sources.get(name, DOCS / name).parent
    shown = (DOCS / name).parent
    return _LINK.sub(lambda link: _mended(link, folder, shown, config.repo_url or ""), markdown)


def _mended(link: re.Match[str], folder: Path, shown: Path, repository: str) -> str:
    target = (folder / link[2]).resolve()
    if target in MADE:
        at = (link[3] or "") if target.suffix == ".md" else ""
        return f"[{link[1]}]({os.path.relpath(DOCS / MADE[target], shown)}{at})"
    known = target.is_file() or target in {DOCS / made for made in MADE.values()}
    if target.is_relative_to(DOCS) and known and "generate" not in target.relative_to(DOCS).parts:
        return f"[{link[1]}]({os.path.relpath(target, shown)}{link[3] or ''})"
    place = target.relative_to(ROOT).as_posix()
    return f"[{link[1]}]({repository.rstrip('/')}/blob/main/{place})" if repository else link[1]
