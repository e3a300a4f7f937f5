"""How the queries of this room are compiled."""

from numba import njit

# A query takes a NamedTuple of arrays a million times a second and must cost nanoseconds. Whenever a field of such
# a tuple is read, Numba counts a reference with atomic operations that cost several times the arithmetic here.
# The queries allocate nothing and return only numbers, so counting is switched off (`_nrt`), and they are inlined.
query = njit(cache=True, forceinline=True, error_model="numpy", _nrt=False)

# The same for a query that calls itself, which cannot be inlined.
recursive_query = njit(cache=True, error_model="numpy", _nrt=False)
