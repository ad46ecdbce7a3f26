"""Hook of MkDocs: links to files beside the pages, which lead to the repository, and room for wide tables.

While `repo_url` is not set in mkdocs.yml, their text stands without a link.
"""

import os
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1].resolve()

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
"""A link of Markdown whose target is a file; the text may hold brackets."""


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Returns a page whose links to files that the site lacks are mended; MkDocs calls this."""
    if Path(page.file.abs_src_path).name == "leaderboard.md":
        page.meta["hide"] = ["toc"]
    return _LINK.sub(lambda link: _mended(link, Path(page.file.abs_src_path).parent, config.repo_url or ""), markdown)


def _mended(link: re.Match[str], folder: Path, repository: str) -> str:
    target = (folder / link[2]).resolve()
    if target.is_relative_to(DOCS) and target.is_file() and "generate" not in target.relative_to(DOCS).parts:
        return f"[{link[1]}]({os.path.relpath(target, folder)}{link[3] or ''})"
    place = target.relative_to(DOCS.parent).as_posix()
    return f"[{link[1]}]({repository.rstrip('/')}/blob/main/{place})" if repository else link[1]
