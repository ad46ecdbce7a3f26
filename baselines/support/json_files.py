"""JSON files, written atomically and read with one-line errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from baselines.support.files import replace_file


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Writes a JSON file atomically."""
    replace_file(path, (json.dumps(content, indent=2) + "\n").encode())


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON object.

    Raises:
        ValueError: the file is missing or unreadable, or holds no JSON object; the message is one line.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {first_line(error)}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} must hold a JSON object, not {type(content).__name__}")
    return content


def first_line(error: BaseException) -> str:
    """Returns the first line of an error's message, or the name of its class if it has none."""
    return (str(error) or type(error).__name__).splitlines()[0]
