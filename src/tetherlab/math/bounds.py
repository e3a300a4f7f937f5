"""With NUMBA_BOUNDSCHECK=1, an index outside its array raises an IndexError that names function and line.

By itself, Numba then refuses an index past the end, but lets a negative one count from the end and cuts a
slice to its array. In kernels both are mistakes (see kernel.py): here they are refused as well, in all
functions of this package. Slices with a step, and what Numba compiles for itself, keep Numba's rules.
"""

from pathlib import Path
from typing import Any, NamedTuple

from numba.core import cgutils, types
from numba.core.lowering import Lower
from numba.core.types.misc import SliceType
from numba.np import arrayobj

from tetherlab.math.cache import PACKAGE
from tetherlab.math.lowering import KernelLower

LAST = 2**63 - 1  # the stop of a slice that has none


class _Place(NamedTuple):
    """The statement that is being lowered."""

    function: str
    loc: Any


_places: list[_Place | None] = [None]  # of functions that are being lowered, the innermost last
_lower_inst, _basic_indexing = Lower.lower_inst, arrayobj.basic_indexing


def check_bounds() -> None:
    """From now on, functions of this package are compiled with checks of all indices."""
    Lower.lower_inst = _lower_noted
    arrayobj.basic_indexing = _checked_indexing


def _lower_noted(self: Lower, inst: Any) -> None:
    own = isinstance(self, KernelLower) or Path(inst.loc.filename).is_relative_to(PACKAGE)
    _places.append(_Place(self.func_ir.func_id.func_name, inst.loc) if own else None)
    try:
        _lower_inst(self, inst)
    finally:
        _places.pop()


def _checked_indexing(
    context: Any, builder: Any, aryty: Any, ary: Any, index_types: Any, indices: Any, boundscheck: Any = None
) -> Any:
    """Numba's `basic_indexing`, after a look at each index."""
    place = _places[-1]
    if place is not None:
        shape = cgutils.unpack_tuple(builder, ary.shape, aryty.ndim)
        for axis, (kind, value) in enumerate(zip(index_types, indices, strict=True)):
            if isinstance(kind, SliceType):
                if not kind.has_step:
                    part = context.make_helper(builder, kind, value=value)
                    _check_slice(context, builder, part, shape[axis], place)
            elif isinstance(kind, types.Integer):
                index = context.cast(builder, value, kind, types.intp)
                _refuse(context, builder, index, "<", index.type(0), "negative index", place)
                _refuse(context, builder, index, ">=", shape[axis], "index past the end", place)
            else:
                break  # an ellipsis or a new axis: from here on as Numba does it
    return _basic_indexing(context, builder, aryty, ary, index_types, indices, boundscheck)


def _check_slice(context: Any, builder: Any, part: Any, size: Any, place: _Place) -> None:
    start, stop = part.start, part.stop
    stop = builder.select(builder.icmp_signed("==", stop, stop.type(LAST)), size, stop)
    _refuse(context, builder, start, "<", start.type(0), "slice from a negative index", place)
    _refuse(context, builder, stop, "<", stop.type(0), "slice to a negative index", place)
    _refuse(context, builder, start, ">", size, "slice from past the end", place)
    _refuse(context, builder, stop, ">", size, "slice to past the end", place)


def _refuse(context: Any, builder: Any, a: Any, sign: str, b: Any, what: str, place: _Place) -> None:
    """Raise if a and b compare so."""
    with cgutils.if_unlikely(builder, builder.icmp_signed(sign, a, b)):
        text = f"{what} in {place.function} ({Path(place.loc.filename).name}, line {place.loc.line})"
        context.call_conv.return_user_exc(builder, IndexError, (text,), place.loc, place.function)
