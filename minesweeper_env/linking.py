"""Functions linked into kernels as LLVM code, and a kernel cache that never fails, by numba's private interface.

No other file uses that interface. Where numba lacks a name, this import fails, and `compiled` uses plain numba.

Numba optimises each function with everything that it calls, so a small function deep inside a kernel is optimised once
for every function above it. A fragment remains LLVM code, and the kernel that links it in optimises all of it once.
"""

import gc
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, cast

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import NativeLowering
from numba.core.types import unliteral

# In this form of import it is no part of a kernel's stamp: a word of a notice does not change the machine code.
from minesweeper_env import console


class _Fragment(JITCodeLibrary):
    """LLVM code that other libraries link in, without machine code of its own."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class _RegisterFragment(LoweringPass):
    """Registers lowered code for its callers, which numba itself does only for functions with machine code."""

    _name = "register_fragment"

    def __init__(self) -> None:
        LoweringPass.__init__(self)  # type: ignore[no-untyped-call]

    def run_pass(self, state: Any) -> bool:
        # Numba's dispatcher accepts only a built-in as the key. This one is unique, and raises if Python calls it.
        empty: dict[None, None] = {}
        key = empty.popitem
        lowered = state["cr"]
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class FragmentCompiler(CompilerBase):
    """Numba's pipeline without machine code and wrappers."""

    def define_pipelines(self) -> list[Any]:
        """Returns the passes."""
        codegen, name = self.state.targetctx.codegen(), self.state.func_id.func_qualname
        self.state.library = _Fragment(codegen, name)  # type: ignore[no-untyped-call]
        for flag in ("no_compile", "no_cpython_wrapper", "no_cfunc_wrapper"):
            setattr(self.state.flags, flag, True)
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)  # type: ignore[no-untyped-call]
        passes.add_pass_after(_RegisterFragment, NativeLowering)
        passes.finalize()
        return [passes]


def without_literals(fragment: Any) -> Any:
    """Returns a fragment that takes a constant as any number; by default numba compiles it anew for each constant."""
    get_template, plain = fragment.get_call_template, cast(Any, unliteral)

    def get_plain_template(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        return get_template(tuple(map(plain, args)), {name: plain(type_) for name, type_ in kwargs.items()})

    fragment.get_call_template = get_plain_template
    return fragment


# Kernels allocate nothing, so they do without reference counting, whose atomic operations would cost half the time.
_FLAGS: dict[str, Any] = {"nogil": True, "_nrt": False, "error_model": "numpy"}
KERNEL: dict[str, Any] = _FLAGS | {"no_cfunc_wrapper": True}
FRAGMENT: dict[str, Any] = _FLAGS | {"pipeline_class": FragmentCompiler}
"""Options of `numba.njit` for kernels, and for functions that only kernels call."""

# Raises here, and not at the first compilation, where numba does not know one of the options.
cpu_target.options.parse_as_flags(Flags(), KERNEL | {"forceinline": True})  # type: ignore[no-untyped-call]


class _Files(IndexDataCacheFile):
    """The files of one kernel. Numba itself writes the index first, and on a full disk it would name older code."""

    def save(self, key: Any, data: Any) -> None:
        """Stores machine code, then the index that names it."""
        index = {}
        # Damaged bytes raise anything when they are unpickled; the index is then written anew.
        with suppress(Exception):
            index = self._load_index()  # type: ignore[no-untyped-call]
        # One name for each signature and processor: processes of a cluster may store code at the same time.
        name = self._data_name(zlib.crc32(repr(key[:2]).encode()))  # type: ignore[no-untyped-call]
        self._save_data(name, data)  # type: ignore[no-untyped-call]
        self._save_index(index | {key: name})  # type: ignore[no-untyped-call]


class _Cache(FunctionCache):
    """The cache of one kernel. Code that cannot be read is compiled anew; code that cannot be stored is not kept."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Returns the stored code for a signature; None if it has to be compiled, which is announced."""
        overload = None
        try:
            overload = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception as error:
            self._warn("read", error)
        if overload is None:
            console.compiling(self._py_func.__module__)
        return overload

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            self._warn("stored", error)

    def _warn(self, action: str, error: Exception) -> None:
        reason = " ".join(str(error).split()) or type(error).__name__
        problem = f"{action} in {self.cache_path}"
        console.warn_of_cache(f"Compiled code cannot be {problem}, so kernels are compiled again ({reason})")


def keep_on_disk(kernel: Any, function: Callable[..., Any], stamp: str) -> None:
    """Makes a kernel keep its machine code on disk, under a stamp; raises a RuntimeError if no folder can keep it."""
    cache: Any = _Cache(function)  # type: ignore[no-untyped-call]
    cache._cache_file = _Files(cache.cache_path, cache._impl.filename_base, stamp)  # type: ignore[no-untyped-call]
    kernel._cache, compile_plainly = cache, kernel.compile

    @global_compiler_lock  # type: ignore[untyped-decorator]
    def compile_kernel(signature: Any) -> Any:
        """Compiles with rare garbage collections, which take a tenth of the time and find next to nothing."""
        thresholds = gc.get_threshold()
        gc.set_threshold(50_000, 20, 20)
        try:
            return compile_plainly(signature)
        finally:
            gc.set_threshold(*thresholds)

    kernel.compile = compile_kernel
