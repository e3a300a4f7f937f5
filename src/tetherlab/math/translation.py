"""Numba functions that are translated, but not optimised or made machine code before a caller needs them.

See kernel.py for why. Everything here follows Numba's own classes of the same names; a function that is
called from Python after all is then compiled in the plain way.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba import config, njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering


class _Library(JITCodeLibrary):
    """The code of a function and of all that it calls, to be linked into its callers."""

    def _optimize_final_module(self) -> None:
        pass  # the caller does

    def _finalize_final_module(self) -> None:
        self._finalized = True  # without machine code


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    """Fills such a library, and tells callers where it is."""

    _name = "translation"

    def run_pass(self, state: Any) -> bool:
        state.library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # Callers find the function by its entry point; as there is none, its library stands for it.
        state.targetctx.insert_user_function(state.library, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=state.library)
        return True


class _Compiler(Compiler):
    def define_pipelines(self) -> list[Any]:
        pipelines: list[Any] = super().define_pipelines()
        for manager in pipelines:
            manager.passes = [(_Lowering if p is NativeLowering else p, text) for p, text in manager.passes]
            manager.finalize()
        return pipelines


class _Dispatcher(CPUDispatcher):
    def __init__(
        self, py_func: Any, locals: Any = None, targetoptions: Any = None, pipeline_class: Any = _Compiler
    ) -> None:
        options = dict(targetoptions, nopython=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
        super().__init__(py_func, locals, options, pipeline_class)
        self._options = targetoptions

    @cached_property
    def _for_python(self) -> Any:
        return njit(cache=True, **self._options)(self.py_func)

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._for_python(*args, **kwargs)


def translated(**options: Any) -> Callable[..., Any]:
    """A decorator like `njit(**options)`, for functions that compiled functions call."""
    if config.DISABLE_JIT:
        return lambda function: function
    return lambda function: _Dispatcher(function, targetoptions=options)
