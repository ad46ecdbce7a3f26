"""Decorators that compile Python functions to machine code."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numba import config, njit

# Imported in this form, it is no part of `_stamp` by itself.
from minesweeper_env import notices

_linking: Any = None
# Another version of numba may lack what the module needs. Then numba compiles by itself, in about twice the time.
with suppress(ImportError, AttributeError, KeyError, TypeError):
    _linking = import_module("minesweeper_env.linking")

_PLAIN: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_KERNEL: dict[str, Any] = _PLAIN if _linking is None else _linking.KERNEL
_FRAGMENT: dict[str, Any] = _PLAIN if _linking is None else _linking.FRAGMENT

Function = TypeVar("Function", bound=Callable[..., Any])


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
        if _linking is None:
            return njit(cache=True, **_PLAIN)(function)
        compiled = njit(**_KERNEL)(function)
        # Numba itself checks only the kernel's own file for changes, and not the files of the functions it calls.
        _linking.keep_on_disk(compiled, function, _stamp(Path(function.__code__.co_filename)))
    except RuntimeError:
        notices.warn_of_cache("Compiled code cannot be stored in any folder, so every process compiles kernels again")
        return njit(**_KERNEL)(function)
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
    return _plain(njit(forceinline=False, **_FRAGMENT)(function))


def inlined(function: Function) -> Function:
    """Compiles a function that only kernels call, and that is always inlined.

    Args:
        function: the function to compile. Named tuples of arrays cost it nothing.

    Returns:
        A function that kernels can call, and Python cannot.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return _plain(njit(forceinline=True, **_FRAGMENT)(function))


def _plain(fragment: Any) -> Any:
    return fragment if _linking is None else _linking.without_literals(fragment)


_PACKAGE = Path(__file__).parent


@cache
def _stamp(path: Path) -> str:
    """Returns a hash of a file, of all files that it imports, directly or not, and of the linker.

    Only imports of the form `from package.part import name` are followed, a module or a name of one, and only into this
    package and the package of the file.
    """
    packages = {"minesweeper_env": _PACKAGE} | {root.name: root for root in _root(path)}
    sources = {each: each.read_bytes() for each in (path, _PACKAGE / "linking.py")}
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
    for package, name, first in re.findall(r"^from (\w+)\.([\w.]+) import (\w+)", source.decode(), re.MULTILINE):
        for parts in (name.split("."), [*name.split("."), first]) if package in packages else ():
            path = packages[package].joinpath(*parts).with_suffix(".py")
            if path.exists():
                yield path
