"""Decorators that compile Python functions to machine code."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numba import njit
from numba.core import config, event

# Imported in this form, they are no part of `_stamp`: notices and locks do not change the machine code.
from minesweeper_env.compilation import cold_start, shared_cache
from minesweeper_env.compilation.linking import FragmentCompiler

Function = TypeVar("Function", bound=Callable[..., Any])

# Kernels allocate nothing, so they do without reference counting, whose atomic operations would cost half the time.
# The numpy error model omits the checks for a division by zero.
_OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False, "error_model": "numpy"}
_KERNEL: dict[str, Any] = _OPTIONS | {"no_cfunc_wrapper": True}
_FRAGMENT: dict[str, Any] = _OPTIONS | {"pipeline_class": FragmentCompiler}


class _CompileListener(event.Listener):
    """Reports the compilation of this project's kernels, which a warm cache makes unnecessary, to the user."""

    def on_start(self, event: Any) -> None:
        if name := _project_name(event):
            cold_start.COLD_START.begin(name)

    def on_end(self, event: Any) -> None:
        if name := _project_name(event):
            cold_start.COLD_START.end(name)


def _project_name(event: Any) -> str | None:
    """Returns "module:function" of the function that an event is about, or None unless it is one of the project's."""
    function = event.data["dispatcher"].py_func
    return f"{function.__module__}:{function.__name__}" if function.__module__.startswith(_PROJECT) else None


_PROJECT = ("azulejos_env.", "minesweeper_env.", "baselines.")
event.register("numba:compile", _CompileListener())  # type: ignore[no-untyped-call]


def kernel(function: Function) -> Function:
    """Compiles a function that Python calls, and caches the machine code on disk where it can.

    Kernels take arrays and numbers. With the environment variable ``NUMBA_DISABLE_JIT`` set to 1 they run as plain
    Python, with the same results.

    Args:
        function: the function to compile at its first call.

    Returns:
        The compiled function, called as the original is.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        # The generator's unsigned arithmetic wraps around on purpose; NumPy scalars would warn.
        return np.errstate(over="ignore")(function)
    try:
        compiled = njit(cache=True, **_KERNEL)(function)
    except RuntimeError:
        # Neither the package's folder nor the user's own cache can be written.
        return njit(**_KERNEL)(function)
    compiled._cache = shared_cache.SharedCache(function)  # type: ignore[no-untyped-call]
    # Numba itself checks only the kernel's own file for changes, and not the files of the functions it calls.
    compiled._cache._cache_file._source_stamp = _stamp(Path(function.__code__.co_filename))
    return compiled


def subroutine(function: Function) -> Function:
    """Compiles a function that only kernels call; the compiler decides at each call whether to inline it.

    Args:
        function: the function to compile.

    Returns:
        A function that kernels can call, and Python cannot.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    # Without this a function takes over `forceinline` from the caller for which numba compiles it.
    return njit(forceinline=False, **_FRAGMENT)(function)


def inlined(function: Function) -> Function:
    """Compiles a function that only kernels call, and that is always inlined.

    Args:
        function: the function to compile. Named tuples of arrays cost it nothing.

    Returns:
        A function that kernels can call, and Python cannot.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return njit(forceinline=True, **_FRAGMENT)(function)


_PACKAGE = Path(__file__).parent


@cache
def _stamp(path: Path) -> str:
    """Returns a hash of a file and of all files that it imports, directly or not.

    Only imports of the form `from package.module import name` are followed, and only into this package and the package
    of the file.
    """
    packages = {"minesweeper_env": _PACKAGE} | {root.name: root for root in _root(path)}
    sources = {path: path.read_bytes()}
    waiting = [path]
    while waiting:
        for imported in _imports(sources[waiting.pop()], packages):
            if imported not in sources:
                sources[imported] = imported.read_bytes()
                waiting.append(imported)
    return hashlib.sha256(b"".join(sources[path] for path in sorted(sources))).hexdigest()


def _root(path: Path) -> list[Path]:
    """Returns a list of the outermost package folder that a file lies in; empty if it lies in none."""
    inside = list(takewhile(lambda folder: (folder / "__init__.py").exists(), path.parents))
    return inside[-1:]


def _imports(source: bytes, packages: dict[str, Path]) -> Iterator[Path]:
    for package, name in re.findall(r"^from (\w+)\.([\w.]+) import", source.decode(), re.MULTILINE):
        if package in packages:
            path = packages[package].joinpath(*name.split(".")).with_suffix(".py")
            if path.exists():
                yield path
