"""How kernels are compiled."""

from numba import njit

# Whenever a kernel reads an array out of a NamedTuple, Numba counts a reference, atomically, which can cost
# more than the arithmetic. Kernels that allocate nothing do without (`_nrt=False`). They must then call only
# kernels of the same kind.
kernel = njit(cache=True, error_model="numpy", _nrt=False)

# For leaves that are to vanish in their caller.
inlined = njit(cache=True, error_model="numpy", _nrt=False, forceinline=True)
