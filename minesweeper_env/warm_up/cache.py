"""Compiled code on the disk: which kernels it holds, where it lies, and how large it is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from minesweeper_env.compilation.times import Part

SUFFIXES = (".nbi", ".nbc")
"""The endings of numba's files: an index for each kernel, and its machine code."""


class UnwritableCacheError(RuntimeError):
    """Compiled code cannot be stored; the message says what to do."""


def cached_kernels(part: Part) -> set[str]:
    """Returns the kernels of a part whose machine code for this processor is on the disk.

    Raises:
        UnwritableCacheError: the kernels of the part have no folder for their machine code.
    """
    return {name for name in part.seconds if _is_cached(_dispatcher(name))}


def cache_folders(parts: Iterable[Part]) -> list[Path]:
    """Returns the folders of the machine code of all kernels."""
    return sorted({Path(_cache_of(_dispatcher(name)).cache_path) for part in parts for name in part.seconds})


def size_of(folders: Iterable[Path]) -> int:
    """Returns the size of the compiled code in some folders, in bytes."""
    files = (path for folder in folders if folder.is_dir() for path in folder.iterdir())
    return sum(path.stat().st_size for path in files if path.suffix in SUFFIXES)


def place_of(folders: Iterable[Path]) -> Path:
    """Returns the folder that holds all the given folders."""
    return Path(os.path.commonpath([str(folder) for folder in folders]))


def _dispatcher(kernel: str) -> Any:
    module, _, name = kernel.partition(":")
    return getattr(import_module(module), name)


def _cache_of(dispatcher: Any) -> Any:
    cache = getattr(dispatcher, "_cache", None)
    if not hasattr(cache, "_cache_file"):
        wish = os.environ.get("NUMBA_CACHE_DIR")
        folders = [*([wish] if wish else []), "the folder of the package", "the cache folder of the user"]
        raise UnwritableCacheError(
            f"compiled code cannot be stored in {', '.join(folders[:-1])} or {folders[-1]}; "
            "set the environment variable NUMBA_CACHE_DIR to a folder that can be written"
        )
    return cache


def _is_cached(dispatcher: Any) -> bool:
    """Returns whether numba's index of a kernel has an entry for this version of the source and this processor."""
    processor = dispatcher.targetctx.codegen().magic_tuple()
    return any(key[1] == processor for key in _cache_of(dispatcher)._cache_file._load_index())
