"""Compiled code as bytes, to be used by another machine that has the same processor."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from minesweeper_env.compilation.times import PARTS
from minesweeper_env.warm_up.cache import SUFFIXES

MOST_BYTES = 50_000_000
"""Size of the files that are packed; a folder that grew over many versions may hold more."""


class CompiledCode(NamedTuple):
    """Compiled code of this package.

    Attributes:
        processor: the processor that it runs on, as numba describes it.
        files: numba's files, by the package and the name of each, such as "minesweeper_env.engine".
    """

    processor: Any
    files: dict[tuple[str, str], bytes]


def pack_compiled() -> CompiledCode:
    """Returns the compiled code that this machine has stored."""
    files: dict[tuple[str, str], bytes] = {}
    size = 0
    for package, folder in _folders().items():
        for path in sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True):
            if path.suffix in SUFFIXES and size + path.stat().st_size <= MOST_BYTES:
                files[package, path.name] = path.read_bytes()
                size += len(files[package, path.name])
    return CompiledCode(_processor(), files)


def unpack_compiled(code: CompiledCode) -> int:
    """Stores compiled code where numba looks for it, unless this machine has another processor.

    Kernels that this machine has compiled itself stay as they are.

    Returns:
        The number of kernels that were stored.
    """
    if not code.files or code.processor != _processor():
        return 0
    folders, index = _folders(), SUFFIXES[0]
    new = [(package, name) for package, name in code.files if name.endswith(index)]
    new = [(package, name) for package, name in new if package in folders and not (folders[package] / name).exists()]
    for package, name in new:
        stem = name.removesuffix(index) + "."
        for (other, data), content in code.files.items():
            # The index comes last, because it names the other files.
            if other == package and data.startswith(stem) and data != name:
                _write(folders[package] / data, content)
        _write(folders[package] / name, code.files[package, name])
    return len(new)


def _write(path: Path, content: bytes) -> None:
    temporary = path.with_name(f"{path.name}.tmp.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(path)


def _processor() -> Any:
    from numba.core.registry import cpu_target

    return cpu_target.target_context.codegen().magic_tuple()


def _folders() -> dict[str, Path]:
    """Returns the folder of numba's files for each package that has kernels; imports none of their modules."""
    modules = {kernel.partition(":")[0] for part in PARTS for kernel in part.seconds}
    found: dict[str, Path] = {}
    for module in sorted(modules):
        package = module.rpartition(".")[0]
        spec = None if package in found else find_spec(package)
        if spec is not None and spec.origin is not None and (folder := _folder_of(Path(spec.origin))) is not None:
            found[package] = folder
    return found


def _folder_of(source: Path) -> Path | None:
    """Returns the folder in which numba stores the code of functions in a file; None if it can write none."""
    from numba.core.caching import CompileResultCacheImpl

    locators: list[Any] = list(CompileResultCacheImpl._locator_classes)
    for locator in locators:
        found = locator.from_function(_folder_of, str(source))
        if found is not None:
            return Path(found.get_cache_path())
    return None
