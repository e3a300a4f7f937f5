"""Numba functions that are translated, but not optimised or made machine code before a caller needs them.

See kernel.py for why. Everything here follows Numba's own classes of the same names; a function that is
called from Python after all is then compiled in the plain way.
"""

import gc
from collections.abc import Callable
from functools import cached_property
from types import BuiltinFunctionType
from typing import Any, ClassVar

from numba import config, njit
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary, ll
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.types import Dispatcher
from numba.core.types.misc import unliteral

from tetherlab.math.lowering import KernelLower, kernel_call


class _Library(JITCodeLibrary):
    """The code of one function, and where to find that of all it calls."""

    def _optimize_functions(self, ll_module: Any) -> None:
        # Later, with the whole.
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._reload_init.update(*(library._reload_init for library in self._linking_libraries))
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == ll.Linkage.external:
                function.linkage = "linkonce_odr"  # may come to a caller on several ways
        self._finalized = True

    @cached_property
    def _below(self) -> dict[Any, None]:
        """All libraries that it needs, each once."""
        below: dict[Any, None] = {}
        for library in self._linking_libraries:
            below[library] = None
            if isinstance(library, _Library):
                below.update(library._below)
        return below

    def _get_module_for_linking(self) -> Any:
        module = self._final_module.clone()
        for library in self._below:
            own = isinstance(library, _Library)
            part = library._final_module if own else library._get_module_for_linking()
            module.link_in(part, preserve=True)
        return module


class _Whole(JITCodeLibrary):
    """The code of a function that Python calls, and of all that it calls."""

    def _optimize_final_module(self) -> None:
        # Nobody else calls these. LLVM then hands over only what they use of their arguments, which else
        # are copied for each call, array by array, and puts in place what is called once.
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == ll.Linkage.linkonce_odr:
                function.linkage = "internal"
        super()._optimize_final_module()


@register_pass(mutates_CFG=True, analysis_only=False)
class _WholeLowering(typed_passes.NativeLowering):
    """Fills such a library."""

    _name = "whole"

    def run_pass(self, state: Any) -> bool:
        state.library = _Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


class WholeCompiler(Compiler):
    """Compiles what Python calls."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own, but for what they fill."""
        pipelines: list[Any] = super().define_pipelines()
        for manager in pipelines:
            manager.passes = [
                (_WholeLowering if p is typed_passes.NativeLowering else p, text)
                for p, text in manager.passes
            ]
            manager.finalize()
        return pipelines


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(typed_passes.NativeLowering):
    """Fills such a library, and tells callers where it is."""

    _name = "translation"
    lowering_class = KernelLower

    def run_pass(self, state: Any) -> bool:
        state.library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # Callers find the function by its entry point; as there is none, its library stands for it.
        call = kernel_call(state.cr.fndesc, state.library)
        state.targetctx._defns[state.library].append(call, call.signature)
        state.cr = state.cr._replace(cfunc=state.library)
        return True


class _Typing:
    """Numba's typing context, with a memory: each time, it tries dozens of ways to multiply two floats."""

    _memories: ClassVar[dict[str, dict[Any, Any]]] = {}

    def __init__(self, context: Any, flags: Any) -> None:
        self._context = context
        self._memory = self._memories.setdefault(flags.get_mangle_string(), {})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, None if there is none."""
        if isinstance(func, Dispatcher):
            return self._context.resolve_function_type(func, args, kws)
        key = func, tuple(args), tuple(kws.items())
        return self._recall(key, lambda: self._context.resolve_function_type(func, args, kws))

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        """The signature of an assignment to an element, None if there is none."""
        key = "setitem", target, index, value
        return self._recall(key, lambda: self._context.resolve_setitem(target, index, value))

    def resolve_value_type(self, val: Any) -> Any:
        """The type of a constant."""
        if isinstance(val, BuiltinFunctionType):
            return self._recall(val, lambda: self._context.resolve_value_type(val))
        return self._context.resolve_value_type(val)

    def _recall(self, key: Any, ask: Callable[[], Any]) -> Any:
        answer = self._memory.get(key)
        if answer is None:
            answer = ask()
            if answer is not None:
                self._memory[key] = answer
        return answer


# Passes for what kernels do not contain: closures, `with`, `raise`, arithmetic of whole arrays, functions to
# be inlined before they are typed, references to be given back.
_IDLE = {
    untyped_passes.DeadBranchPrune,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.InlineClosureLikes,
    untyped_passes.InlineInlinables,
    untyped_passes.LiteralPropagationSubPipelinePass,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.WithLifting,
    typed_passes.InlineOverloads,
    typed_passes.IRLegalization,
    typed_passes.NopythonRewrites,
    typed_passes.NoPythonSupportedFeatureValidation,
}


class _Compiler(Compiler):
    def __init__(self, typingctx: Any, *args: Any) -> None:
        super().__init__(typingctx, *args)
        self.state.typingctx = _Typing(typingctx, self.state.flags)

    def define_pipelines(self) -> list[Any]:
        pipelines: list[Any] = super().define_pipelines()
        for manager in pipelines:
            manager.passes = [
                (_Lowering if p is typed_passes.NativeLowering else p, text)
                for p, text in manager.passes
                if p not in _IDLE
            ]
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
        return njit(cache=True, pipeline_class=WholeCompiler, **self._options)(self.py_func)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """One translation for all values of an argument: that a value is known, LLVM finds out."""
        return super().get_call_template(map(unliteral, args), {k: unliteral(v) for k, v in kws.items()})

    def compile(self, sig: Any) -> Any:
        """Millions of objects come and few go: looking for garbage would take a quarter of the time."""
        collecting = gc.isenabled()
        gc.disable()
        try:
            return super().compile(sig)
        finally:
            if collecting:
                gc.enable()

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._for_python(*args, **kwargs)


def translated(**options: Any) -> Callable[..., Any]:
    """A decorator like `njit(**options)`, for functions that compiled functions call."""
    if config.DISABLE_JIT:
        return lambda function: function
    options.update(error_model="numpy", _nrt=False)
    return lambda function: _Dispatcher(function, targetoptions=options)
