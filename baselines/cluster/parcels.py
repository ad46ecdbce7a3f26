"""Shared values on their way to nodes: pickled, with the bytes of the files that their use opens.

No path leaves its machine. A node writes the files into a folder that their content names, so that equal files are
written once.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from baselines.cluster.private_folder import private_folder
from baselines.support.files import replace_file
from baselines.support.forwarded import forward


class Parcel(NamedTuple):
    """A value and the files that its use opens.

    Attributes:
        content: the pickled value.
        files: the name and the bytes of each file, by the path that names the file or its folder.
    """

    content: bytes
    files: dict[str, dict[str, bytes]]


_opened: dict[str, Any] = {}
"""The values of this process, by the reference of their parcel."""


def pack(value: Any) -> Parcel:
    """Returns the parcel of a value; its method `files`, if it has one, returns paths by the path that names them."""
    paths: Mapping[str, Sequence[Path]] = value.files() if hasattr(value, "files") else {}
    files = {base: {path.name: path.read_bytes() for path in group} for base, group in paths.items()}
    return Parcel(pickle.dumps(value), files)


def open_parcel(reference: Any) -> Any:
    """Returns the value of a parcel from the object store of Ray; the process keeps it."""
    key = reference.hex()
    if key not in _opened:
        import ray

        parcel: Parcel = ray.get(reference)
        forward({base: _write(base, files) for base, files in parcel.files.items()})
        _opened[key] = pickle.loads(parcel.content)
    return _opened[key]


def _write(base: str, files: Mapping[str, bytes]) -> Path:
    """Writes the files that a path names; returns the path of the copy, a file or a folder like the path itself."""
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    folder = private_folder() / "files" / digest.hexdigest()
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        if not (folder / name).exists():
            replace_file(folder / name, content)
    own_name = Path(base).name
    return folder / own_name if own_name in files else folder
