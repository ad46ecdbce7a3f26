"""JSON files that are read into structs of msgspec, which checks their types and bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from baselines.support.files import first_line, read_json

Content = TypeVar("Content")

Count = Annotated[int, msgspec.Meta(ge=0)]
Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]


def read_as(path: Path, kind: type[Content]) -> Content:
    """Reads a JSON object into a struct.

    Args:
        path: the file.
        kind: the struct, or a dataclass.

    Raises:
        ValueError: the file is missing, or holds something else; the message is one line.
    """
    content = read_json(path)
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{path} is damaged: {first_line(error)}") from error
