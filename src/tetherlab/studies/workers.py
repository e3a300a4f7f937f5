"""The same function for many arguments, on all cores."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")


def on_all_cores(
    function: Callable[[Argument], Result], arguments: Iterable[Argument]
) -> Iterator[tuple[Argument, Result]]:
    """Each argument with its result, in their order; the function must stand at the top of a module.

    Results come as they are known, and Ctrl-C leaves those that came.
    """
    arguments = list(arguments)
    # A fresh process each: compiled code and threads do not survive a fork.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(os.cpu_count() or 1, len(arguments)), mp_context=context)
    try:
        yield from zip(arguments, pool.map(function, arguments), strict=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
