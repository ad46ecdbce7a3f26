"""Notebook of the tutorial: the text and the blocks of docs/tutorial.md as cells.

Python blocks become code cells, blocks that begin with a file name become `%%writefile` cells, and shell blocks become
`!` cells. Blocks of printed text are left out, because the cells print it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from places import DOCS

PAGE, NOTEBOOK = DOCS / "tutorial.md", DOCS / "examples" / "tutorial.ipynb"

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# ([\w/]+\.py)\n")


class Block(NamedTuple):
    """A piece of the page.

    Attributes:
        language: "python", "sh", "text", or "markdown" for text between blocks.
        text: its content.
    """

    language: str
    text: str

    @property
    def file(self) -> str | None:
        """Name of the file that the reader saves the block as, if the first line names one."""
        found = _FILE.match(self.text) if self.language == "python" else None
        return found[1] if found else None


def blocks(page: str) -> Iterator[Block]:
    """Yields the blocks of a page in order, and the text between them as "markdown"."""
    end = 0
    for found in _BLOCK.finditer(page):
        if text := page[end : found.start()].strip():
            yield Block("markdown", text + "\n")
        yield Block(found[1], found[2])
        end = found.end()
    if text := page[end:].strip():
        yield Block("markdown", text + "\n")


def notebook(page: str) -> dict[str, Any]:
    """Returns the notebook of a page, in version 4.5 of the format, without outputs."""
    kept = [block for block in blocks(page) if block.language != "text"]
    return {
        "cells": [_cell(f"cell-{index}", block) for index, block in enumerate(kept)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(name: str, block: Block) -> dict[str, Any]:
    source = _source(block).rstrip("\n").splitlines(keepends=True)
    if block.language == "markdown":
        return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": {},
        "outputs": [],
        "source": source,
    }


def _source(block: Block) -> str:
    if block.language == "sh":
        return "".join(f"!{line}" for line in block.text.splitlines(keepends=True))
    if block.file:
        return f"%%writefile {block.file}\n{block.text}"
    return block.text


def write_notebook() -> None:
    """Writes the notebook of the tutorial."""
    content = notebook(PAGE.read_text(encoding="utf-8"))
    NOTEBOOK.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_notebook()
