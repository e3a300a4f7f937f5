"""The numbers of a tether at one moment, as text, to look into a failure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import plain
from tetherlab.tether import model as M
from tetherlab.tether.advance import STEP_SMALLEST
from tetherlab.tether.readout import strains

BROKEN_SHOWN = 5  # elements that are listed


def describe(memory: M.Memory, names: Sequence[str]) -> list[str]:
    """Where a tether is tightest, most stretched and fastest, and what it touches; one line for each.

    names: of the objects of the field.
    """
    model, state = plain(M.open_model)(memory), plain(M.open_state)(memory)
    count = int(state.number[M.COUNT])
    x, v, rest = state.x[: count + 1], state.v[: count + 1], state.rest[:count]
    tension, speed = state.tension[:count], np.linalg.norm(v, axis=1)
    tight, fast = (int(np.argmax(np.abs(what))) for what in (tension, speed))
    return [
        f"tether      {count} elements, {rest.sum():.4g} m, numbered from the base",
        *_broken(rest),
        f"tension     {tension[tight]:.4g} N at most, in element {tight}",
        *_strain(state),
        f"speed       {speed[fast]:.4g} m/s at most, of node {fast} at {x[fast].round(3).tolist()} m",
        f"steps       at most {model.step_max:g} s, halved down to {STEP_SMALLEST:g} s",
        *_contacts(state, names),
        *_bodies(state),
    ]


def _broken(rest: NDArray[np.float64]) -> list[str]:
    """Elements that no tether can have."""
    found = np.flatnonzero(~(rest > 0.0)).tolist()
    lines = [f"broken      element {j} has a rest length of {rest[j]:.4g} m" for j in found[:BROKEN_SHOWN]]
    if len(found) > BROKEN_SHOWN:
        lines.append(f"broken      {len(found)} elements in all have a rest length that is not positive")
    return lines


def _strain(state: M.TetherState) -> list[str]:
    """Range of the engine's strain, over the elements that have one."""
    count = int(state.number[M.COUNT])
    whole = np.flatnonzero(state.rest[:count] > 0.0)
    if not len(whole):
        return []
    strain = 100.0 * strains(state)
    least, most = int(whole[np.argmin(strain[whole])]), int(whole[np.argmax(strain[whole])])
    return [f"strain      {strain[least]:.4g} % in element {least} to {strain[most]:.4g} % in element {most}"]


def _contacts(state: M.TetherState, names: Sequence[str]) -> list[str]:
    count = int(state.number[M.COUNT])
    nodes = np.flatnonzero(state.contact[: count + 1]["touching"])
    bent = np.flatnonzero(state.wrap[:count]["active"])
    lines = []
    for what, found, records in (("node", nodes, state.contact), ("element", bent, state.wrap)):
        if len(found):
            touched = sorted({int(records[k]["object"]) for k in found})
            named = ", ".join(names[k] if 0 <= k < len(names) else f"object {k}" for k in touched)
            lines.append(f"contact     of {len(found)} {what}s with {named}, first {what} {found[0]}")
    return lines


def _bodies(state: M.TetherState) -> list[str]:
    return [
        f"body        of {float(body['mass']):.4g} kg at the {name}, "
        f"{float(np.linalg.norm(body['v_W'])):.4g} m/s, at {body['p_W'].round(3).tolist()} m"
        for end, (name, body) in enumerate(zip(("base", "end"), state.body, strict=True))
        if state.number[M.KIND_BASE + end] == M.RIGID
    ]
