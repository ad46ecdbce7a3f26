"""Hook of MkDocs: makes pages of files outside docs, and points links to such files at these pages or the repository.

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
"""The parts of the theme that are hidden on a page, so that it has more room."""

MADE = (
    {ROOT / "README.md": "index.md"}
    | {ROOT / f"{name.upper()}.md": f"about/{name}.md" for name in ("changelog", "contributing", "security")}
    | {path: f"examples/{path.stem}.md" for path in sorted((ROOT / "examples").glob("*.py"))}
)
"""The pages of the site that are made from files of the repository, by file."""


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Adds the pages of `MADE`; an example is shown as highlighted code. MkDocs calls this."""
    from mkdocs.structure.files import File

    for source, name in MADE.items():
        text = source.read_text(encoding="utf-8")
        page = text.replace("](docs/images/", "](images/")
        content = page if source.suffix == ".md" else f"# {source.name}\n\n```python\n{text}```\n"
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Returns a page whose links to files that the site lacks are mended; MkDocs calls this."""
    name = page.file.src_uri
    if name in HIDDEN:
        page.meta["hide"] = HIDDEN[name]
    sources = {page_name: source for source, page_name in MADE.items()}
    source_folder = sources.get(name, DOCS / name).parent
    page_folder = (DOCS / name).parent
    return _LINK.sub(lambda link: _repaired(link, source_folder, page_folder, config.repo_url or ""), markdown)


def _repaired(link: re.Match[str], source_folder: Path, page_folder: Path, repository: str) -> str:
    """Returns a link as Markdown: relative to the page if its target is on the site, else to the repository."""
    target = (source_folder / link[2]).resolve()
    if target in MADE:
        anchor = (link[3] or "") if target.suffix == ".md" else ""
        return f"[{link[1]}]({os.path.relpath(DOCS / MADE[target], page_folder)}{anchor})"
    exists = target.is_file() or target in {DOCS / page for page in MADE.values()}
    if target.is_relative_to(DOCS) and exists and "generate" not in target.relative_to(DOCS).parts:
        return f"[{link[1]}]({os.path.relpath(target, page_folder)}{link[3] or ''})"
    path = target.relative_to(ROOT).as_posix()
    return f"[{link[1]}]({repository.rstrip('/')}/blob/main/{path})" if repository else link[1]
