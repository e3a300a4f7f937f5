"""How functions are compiled: `kernel` and `inlined` are called by compiled code, `njit` by Python.

Left to itself, Numba optimises every kernel and makes machine code of it, and again of its copy in each
caller: at five levels of calls, five times, although Python calls none but the outermost. Here a `kernel` is
only translated; what Python calls, an `njit` function, is optimised once with all that it calls.

A kernel takes indices as they are: `x[-1]` is not the last element but a mistake. It has no closures, does
not raise, and handles arrays element by element.

This reaches into Numba further than its public interface, so it is done with the version that it was tried
with alone. With others, kernels are compiled the plain way: the same results, slower to compile.
"""

from collections.abc import Callable
from functools import cache as once
from functools import partial
from typing import Any

import numba
from numba import config, typeof, version_info

from tetherlab.math import compile_notice  # noqa: F401 (from here on, it is said when much is compiled)
from tetherlab.math.cache import say

TRIED_WITH = (0, 68)  # Numba


_whole: dict[str, Any] = {}  # how Numba compiles what Python calls


def njit(**options: Any) -> Callable[[Any], Any]:
    """Numba's decorator; without a place for its cache, functions are compiled in each process anew."""
    options = _whole | options

    def compiled(function: Any) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError:
            if not options.get("cache"):
                raise
            _say_uncached()
            return numba.njit(**{**options, "cache": False})(function)

    return compiled


@once
def _say_uncached() -> None:
    say("no folder can be written, not even for temporary files: the engine is compiled in each process anew")


if version_info.short == TRIED_WITH:
    from tetherlab.math.translation import WholeCompiler, translated

    if not config.DISABLE_JIT:
        _whole["pipeline_class"] = WholeCompiler
    if config.BOUNDSCHECK:
        from tetherlab.math.bounds import check_bounds

        check_bounds()
else:
    translated = partial(njit, cache=True, error_model="numpy", _nrt=False)

# Whenever a kernel reads an array out of a NamedTuple, Numba counts a reference, atomically, which can cost
# more than the arithmetic. Kernels allocate nothing and do without (`_nrt=False`). They must then call only
# kernels.
kernel = translated()

# For leaves that are to vanish in their caller.
inlined = translated(forceinline=True)


def plain(function: Any) -> Callable[..., Any]:
    """The Python function of a kernel, also where NUMBA_DISABLE_JIT leaves it as it is."""
    return getattr(function, "py_func", function)


def entry_point(function: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The machine code of a compiled function for arguments of these types, with which it was called before.

    Numba takes longer to find out the types of many arrays than some functions take to run.
    """
    if not hasattr(function, "overloads"):  # NUMBA_DISABLE_JIT
        return function
    return function.overloads[tuple(map(typeof, arguments))].entry_point
