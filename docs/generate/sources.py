"""Files of the repository that pages link to, as pages of the site: code with line numbers, data unchanged."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = "source"
"""The folder of the site that holds them."""

_STYLE = """
body { margin: 1.5em; font: 14px/1.5 sans-serif; background: #fff; color: #222 }
pre { font: 13px/1.5 monospace; overflow-x: auto }
.linenos { color: #888; padding-right: 1em; user-select: none }
span:target, a:target { background: #ffe08a }
@media (prefers-color-scheme: dark) { body { background: #1e2129; color: #e2e4e9 } span:target { background: #665200 } }
"""


def line_of(path: Path, name: str) -> int:
    """Returns the line of the code that defines a name.

    Args:
        path: a Python file.
        name: a class or function, or `Class.method`.

    Raises:
        ValueError: the file does not define the name.
    """
    body = ast.parse(path.read_text(encoding="utf-8")).body
    found: ast.stmt | None = None
    for part in name.split("."):
        named = (each for each in body if isinstance(each, ast.ClassDef | ast.FunctionDef) and each.name == part)
        found = next(named, None)
        if not isinstance(found, ast.ClassDef | ast.FunctionDef):
            raise ValueError(f"{path} defines no {name}")
        body = found.body
    if found is None:
        raise ValueError("a name must have a part")
    return found.lineno


def site_path(path: str) -> str:
    """Returns the place on the site of a file of the repository."""
    return f"{FOLDER}/{path}.html" if path.endswith((".py", ".toml")) else f"{FOLDER}/{path}"


def write_source(root: Path, path: str, site: Path) -> None:
    """Writes a file of the repository into the site: code as a page with an anchor L-N per line, others unchanged."""
    content, place = (root / path).read_bytes(), site / site_path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(_page(path, content.decode()).encode() if place.suffix == ".html" else content)


def _page(path: str, code: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_for_filename

    dark = HtmlFormatter(style="github-dark").get_style_defs(".code")
    form = HtmlFormatter(linenos="inline", lineanchors="L", linespans="L", anchorlinenos=True, cssclass="code")
    style = f"{form.get_style_defs('.code')}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n{_STYLE}"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{path}</title>'
    lines = highlight(code, get_lexer_for_filename(path), form)
    body = f"<body><h1>{path}</h1>{lines}</body>"
    return f'<!DOCTYPE html><html lang="en"><head>{head}<style>{style}</style></head>{body}</html>'
