"""How the queries of this room are compiled."""

from tetherlab.math.kernel import translated

# A query takes a NamedTuple of arrays a million times a second and must cost nanoseconds. Whenever a field of
# such a tuple is read, Numba counts a reference, atomically, which costs several times the arithmetic here.
# The queries allocate nothing and return only numbers: so they are kernels, which do not count, and inlined.
query = translated(forceinline=True)

# The same for a query that calls itself, which cannot be inlined.
recursive_query = translated()

# And for a query that adds up many terms: their order is left to the compiler, which then adds several at
# once. NaN and infinity stay what they are.
summing_query = translated(forceinline=True, fastmath={"reassoc", "contract"})
