"""Arrays of records, and copying a record within one.

`records[target] = records[source]` does the same, but Numba makes one value of all bytes of a record, which
the compiler then takes apart again: for records of some hundred bytes that takes it seconds.
"""

from typing import Any

import numpy as np
from numba import config
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray


def make_records(shape: Any, kind: np.dtype[Any]) -> NDArray[Any]:
    """Empty records whose fields kernels read by `records[i].field`, also where these are not compiled."""
    records = np.zeros(shape, kind)
    return records.view(np.recarray) if config.DISABLE_JIT else records


def _copy_record(context: Any, records: Any, source: Any, target: Any) -> Any:
    """Copy records[source] to records[target]; records: (n,), indices not negative."""

    def generate(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        array = inner.make_array(kind)(inner, builder, arguments[0])
        checked = inner.enable_boundscheck
        start, end = (
            cgutils.get_item_pointer(inner, builder, kind, array, [index], boundscheck=checked)
            for index in arguments[1:]
        )
        one = inner.get_constant(types.intp, 1)
        cgutils.raw_memcpy(builder, end, start, one, kind.dtype.size)
        return inner.get_dummy_value()

    return types.void(records, types.intp, types.intp), generate


def _copy_plainly(records: Any, source: int, target: int) -> None:
    records[target] = records[source]


copy_record = _copy_plainly if config.DISABLE_JIT else intrinsic(_copy_record)
