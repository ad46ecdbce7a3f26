"""Compile functions that only kernels call to LLVM code alone.

By default numba optimises each function together with everything that it calls, and makes machine code and Python
wrappers for it. A small function deep inside a kernel is then optimised once for every function above it. A fragment
skips these steps: it remains LLVM code, and the kernel that links it in optimises all of it once.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import NativeLowering


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
