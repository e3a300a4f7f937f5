"""How kernels are compiled.

Left to itself, Numba optimises every kernel and makes machine code of it, and again of its copy in each
caller: at five levels of calls, five times, although Python calls none but the outermost. Here a `kernel` is
only translated; what Python calls, a plain `njit` function, is optimised once with all that it calls.

A kernel takes indices as they are: `x[-1]` is not the last element but a mistake. It has no closures, does
not raise, and handles arrays element by element.

This reaches into Numba further than its public interface, so it is done with the version that it was tried
with alone. With others, kernels are compiled the plain way: the same results, slower to compile.
"""

from functools import partial

from numba import njit, version_info

TRIED_WITH = (0, 68)  # Numba

if version_info.short == TRIED_WITH:
    from tetherlab.math.translation import translated
else:
    translated = partial(njit, cache=True, error_model="numpy", _nrt=False)

# Whenever a kernel reads an array out of a NamedTuple, Numba counts a reference, atomically, which can cost
# more than the arithmetic. Kernels allocate nothing and do without (`_nrt=False`). They must then call only
# kernels.
kernel = translated()

# For leaves that are to vanish in their caller.
inlined = translated(forceinline=True)
