"""Decorators that compile Python functions to machine code."""

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numba import config, njit

# In this form of import `_stamp` does not follow it: a change of a notice need not compile kernels again.
from minesweeper_env import console

_linking: Any = None
# Another version of numba may lack what the module needs. Plain numba then compiles, in about twice the time.
with suppress(ImportError, AttributeError, KeyError, TypeError):
    _linking = import_module("minesweeper_env.linking")

_PLAIN_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_PACKAGE = Path(__file__).parent

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compiles a function that Python calls, at its first call, and caches the machine code on disk where it can.

    Kernels take arrays and numbers. With the environment variable ``NUMBA_DISABLE_JIT`` set to 1 they run as plain
    Python, with the same results.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        # The generator's unsigned arithmetic wraps around on purpose; NumPy scalars would warn.
        return np.errstate(over="ignore")(function)
    options = _PLAIN_OPTIONS if _linking is None else _linking.KERNEL
    try:
        if _linking is None:
            return njit(cache=True, **options)(function)
        compiled = njit(**options)(function)
        # Numba itself checks only the kernel's own file for changes, and not the files of the functions it calls.
        _linking.keep_on_disk(compiled, function, _stamp(Path(function.__code__.co_filename)))
    except RuntimeError:
        folder = os.environ.get("NUMBA_CACHE_DIR") or "any folder"
        console.warn_of_cache(f"Compiled code cannot be stored in {folder}, so every process compiles kernels again")
        return njit(**options)(function)
    return compiled


def subroutine(function: Function) -> Function:
    """Compiles a function that only kernels call; the compiler decides at each call whether to inline it."""
    # Without the option a function takes over `forceinline` from the caller for which numba compiles it.
    return inlined(function, forceinline=False)


def inlined(function: Function, *, forceinline: bool = True) -> Function:
    """Compiles a function that only kernels call, always inlined, so that no call passes named tuples of arrays."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    if _linking is None:
        return njit(**_PLAIN_OPTIONS, forceinline=forceinline)(function)
    return _linking.without_literals(njit(**_linking.FRAGMENT, forceinline=forceinline)(function))


@cache
def _stamp(path: Path) -> str:
    """Returns a hash of a file, of all files that it imports, directly or not, and of the linker.

    Only imports of the forms `from package.module import name` and `from package.folder import module` are followed,
    and only into this package and the outermost package of the file.
    """
    outermost = list(takewhile(lambda folder: (folder / "__init__.py").exists(), path.parents))[-1:]
    packages = {"minesweeper_env": _PACKAGE} | {folder.name: folder for folder in outermost}
    sources: dict[Path, bytes] = {}
    pending = [path, _PACKAGE / "linking.py"]
    while pending:
        source = pending.pop()
        if source in sources or not source.exists():
            continue
        sources[source] = source.read_bytes()
        imports = re.findall(r"^from (\w+)\.([\w.]+) import (.*)", sources[source].decode(), re.MULTILINE)
        for package, module_name, names in imports:
            if package in packages:
                module = packages[package].joinpath(*module_name.split("."))
                pending += [module.with_suffix(".py"), *(module / f"{name}.py" for name in re.findall(r"\w+", names))]
    return hashlib.sha256(b"".join(sources[source] for source in sorted(sources))).hexdigest()
