"""What users read off a tether: forces, contacts, energy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.tether import model as M
from tetherlab.tether.folding import FOLD_SOFT, FOLD_STIFFNESS, MERGE_BELOW

Vector = NDArray[np.float64]


class Contact(NamedTuple):
    """One place where the tether, or the body at its end, touches an obstacle."""

    point: Vector  # on the tether's centre line [m], (3,)
    normal: Vector  # out of the obstacle, (3,)
    force: Vector  # of the obstacle on the tether [N], (3,)
    object: str  # name of the obstacle, or its number in the world


class Energy(NamedTuple):
    """Energies now, and sums since the start [J]. total + dissipated - work - work_winch stays constant.

    Tether that the winch pays out counts from the height at which it leaves the winch, so that no term but
    the potential energy depends on where z = 0 is.
    """

    kinetic: float
    potential: float  # of weight: zero at z = 0 for what was out at the start, at the winch for the rest
    elastic: float  # axial, bending, and in the springs of contacts
    dissipated: float  # by damping, drag, friction and impacts; wind may make it negative
    work: float  # of what moves the ends, and of moving obstacles
    work_winch: float  # of the winch's drive on what it pays out or reels in

    @property
    def total(self) -> float:
        """kinetic + potential + elastic."""
        return self.kinetic + self.potential + self.elastic


def node_masses(model: M.TetherModel, state: M.TetherState) -> Vector:
    """Mass of each node, bodies not included [kg], (count + 1,)."""
    count = int(state.number[M.COUNT])
    mass = np.zeros(count + 1)
    half = 0.5 * model.linear_density * state.rest[:count]
    mass[:-1] += half
    mass[1:] += half
    return mass


def sharpness(nodes: Vector) -> Vector:
    """1 - cosine of the angle by which a chain of nodes (n, 3) turns at each inner one, (n - 2,)."""
    chord = np.diff(nodes, axis=0)
    tangent = chord / (np.linalg.norm(chord, axis=1)[:, None] + 1e-12)
    turn: Vector = 1.0 - (tangent[1:] * tangent[:-1]).sum(axis=1)
    return turn


def strains(state: M.TetherState) -> Vector:
    """Strain of each element as the engine has it, (count,): chord less offset, over the rest length.

    An element that bends round an obstacle has the mean of its two parts, by their rest lengths; a loose one
    is not compressed.
    """
    count = int(state.number[M.COUNT])
    span = np.linalg.norm(np.diff(state.x[: count + 1], axis=0), axis=1)
    wrap, rest = state.wrap[:count], state.rest[:count]
    with np.errstate(divide="ignore", invalid="ignore"):
        straight = (span - state.offset[:count]) / rest
        bent = wrap["stretch_b"] + (wrap["stretch_a"] - wrap["stretch_b"]) * wrap["rest_a"] / rest
    strain: Vector = np.where(wrap["active"] == 1, bent, straight) - 1.0
    return np.where(wrap["loose"] == 1, np.maximum(strain, 0.0), strain)


def energy_of(model: M.TetherModel, state: M.TetherState) -> Energy:
    """Energy of tether and bodies."""
    count = int(state.number[M.COUNT])
    x, v, rest = state.x[: count + 1], state.v[: count + 1], state.rest[:count]
    mass = node_masses(model, state)
    mass[0] += state.end_mass[M.BASE]
    mass[-1] += state.end_mass[M.END]
    kinetic = 0.5 * float(mass @ (v**2).sum(axis=1))
    kinetic += 0.5 * float(state.shared[:count] @ (np.diff(v, axis=0) ** 2).sum(axis=1))
    potential = model.gravity * float(mass @ x[:, 2]) - float(state.total[M.FED])
    chord = np.diff(x, axis=0)
    span = np.linalg.norm(chord, axis=1)
    wrap = state.wrap[:count]
    bent = wrap["active"] == 1
    stretch = np.where(bent, 1.0, (span - state.offset[:count]) / rest)
    stretch = np.where(wrap["loose"] == 1, np.maximum(stretch, 1.0), stretch)
    elastic = 0.5 * model.axial_stiffness * float(rest @ (stretch - 1.0) ** 2)
    for side, length in (("stretch_a", wrap["rest_a"]), ("stretch_b", rest - wrap["rest_a"])):
        strain = np.where(bent, np.maximum(wrap[side] - 1.0, 0.0), 0.0)
        elastic += 0.5 * model.axial_stiffness * float(length @ strain**2)
    if count > 1 and model.bending_stiffness > 0.0:
        kink = state.kink[1:count]
        excess = np.where(kink < 0.0, 0.0, np.maximum(sharpness(x) - kink, 0.0))
        held = excess**2 / (excess + np.maximum(kink, 1e-300))
        elastic += model.bending_stiffness * float((held / (0.5 * (rest[1:] + rest[:-1]))).sum())
    if state.number[M.FOLDED]:
        length = 0.5 * (rest[1:] + rest[:-1])
        weight = length**2
        share = np.clip(rest[0] / model.element_length - MERGE_BELOW, 0.0, 1.0)
        weight[:1] = share * min(length[0], model.element_length) ** 2
        excess = np.maximum(0.0, sharpness(x) - state.free_bend[1:count])
        held = weight * excess**2 / (excess + FOLD_SOFT)
        elastic += FOLD_STIFFNESS * model.linear_density * model.gravity * float(held.sum())
    elastic += float(state.contact[: count + 1]["stored"].sum()) + float(state.body_contact["stored"].sum())
    for end in range(2):
        if state.number[M.KIND_BASE + end] == M.RIGID:
            body = state.body[end]
            L_B = body["R_WB"].T @ body["L_W"]
            kinetic += 0.5 * float(body["mass"] * (body["v_W"] @ body["v_W"]))
            kinetic += 0.5 * float(L_B @ np.linalg.solve(body["inertia_B"], L_B))
            potential += float(body["mass"] * model.gravity * body["p_W"][2])
    dissipated, work, work_winch = state.total[[M.DISSIPATED, M.WORK, M.WORK_WINCH]].tolist()
    return Energy(kinetic, potential, elastic, dissipated, work, work_winch)


def contacts_of(state: M.TetherState, names: list[str]) -> list[Contact]:
    """All contacts after the last step, from base to end, bodies last."""
    count = int(state.number[M.COUNT])

    def named(index: int) -> str:
        return names[index] or str(index)

    found = []
    for i in np.flatnonzero(state.contact[: count + 1]["active"]):
        c = state.contact[i]
        found.append(
            (
                float(i),
                Contact(state.x[i].copy(), c["normal_W"].copy(), c["force_W"].copy(), named(c["object"])),
            )
        )
    for j in np.flatnonzero(state.wrap[:count]["active"]):
        w = state.wrap[j]
        # The obstacle carries what the two legs pull their nodes with.
        push = w["tension_a"] * w["pull_a"] + w["tension_b"] * w["pull_b"]
        normal = w["pull_a"] + w["pull_b"]
        normal /= max(float(np.linalg.norm(normal)), 1e-12)
        found.append((j + 0.5, Contact(w["point_W"].copy(), normal, push, named(w["object"]))))
    for end, k in np.argwhere(state.body_contact["active"]):
        c, body = state.body_contact[end, k], state.body[end]
        point = body["p_W"] + body["R_WB"] @ body["point_B"][k]
        found.append((1e9, Contact(point, c["normal_W"].copy(), c["force_W"].copy(), named(c["object"]))))
    return [contact for _, contact in sorted(found, key=lambda pair: pair[0])]
