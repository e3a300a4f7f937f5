"""Why the run of a scene has to end, in sentences that name its objects and the likely cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tetherlab.assembly.sites import Body
from tetherlab.contracts.outcome import Outcome
from tetherlab.plant import watch as W
from tetherlab.plant.graph_build import open_tether
from tetherlab.tether.model import COUNT

if TYPE_CHECKING:
    from tetherlab.assembly.scene_simulation import SceneSimulation

FAST = 0.3  # speed from which a motion is called the cause [m/s]
SLACK = 1.1  # length over distance from which a tether is called slack


def ending(code: int, sim: SceneSimulation) -> tuple[Outcome, str]:
    """Outcome and its details, from what `watch` noted."""
    if code == W.COLLISION:
        return Outcome.COLLISION, _collision(sim)
    if code == W.OVERLOAD:
        return Outcome.TETHER_OVERLOAD, _overload(sim)
    if code in (W.TANGLED_ROTOR, W.TANGLED_TURNS):
        return Outcome.TANGLED, _tangled(sim, code)
    if code == W.TOO_SHORT:
        return Outcome.TETHER_TOO_SHORT, _too_short(sim)
    return Outcome.DIVERGED, f"{_body(sim, 'body')!r} is beyond 1000 km, or nowhere"


def _collision(sim: SceneSimulation) -> str:
    seen, robot = sim.plant.scratch[0], _body(sim, "body")
    who = int(seen["hit_object"])
    what = f"{_body(sim, 'hit_body')!r}" if who < 0 else _object(sim, who)
    said = f"the hull of {robot!r} is {float(seen['hit_depth']):.3f} m inside {what}"
    speed = float(np.linalg.norm(sim[robot].velocity))
    pull = float(np.linalg.norm(sim.plant.part["pull_W"][seen["body"]]))
    for row in sim.plant.rotorcraft[sim.plant.rotorcraft["body"] == seen["body"]]:
        if not row["armed"]:
            return f"{said}; its rotors were off"
        if row["saturated"]:
            return f"{said}; its rotors were at their limit, with {pull:.3g} N of tether pull"
    target = sim.target_of(robot)
    if target is not None and np.linalg.norm(target - sim[robot].position) > FAST:
        return f"{said}; it was on its straight way to {target.round(2).tolist()}, at {speed:.2g} m/s"
    return f"{said}; it moved at {speed:.2g} m/s, with {pull:.3g} N of tether pull"


def _overload(sim: SceneSimulation) -> str:
    t = int(sim.plant.scratch["tether"][0])
    line, name = sim.plant.line[t], _tether(sim, t)
    said = (
        f"{float(line['tension_peak']):.0f} N in {name!r} between {_ends(sim, name)}, its strength is "
        f"{float(line['strength']):.0f} N"
    )
    state = open_tether(sim.graph, t)
    count = int(state.number[COUNT])
    along = (state.x[count] - state.x[0]) / max(float(line["distance"]), 1e-9)
    parting = float((state.v[count] - state.v[0]) @ along)
    reeling = float(sim.graph.command["reel_speed"][t])
    if parting > FAST:
        return f"{said}; its ends part at {parting:.2g} m/s, which jerks it"
    if reeling < 0.0:
        return f"{said}; it is reeled in at {-reeling:.2g} m/s"
    return f"{said}; what it holds pulls too hard"


def _tangled(sim: SceneSimulation, code: int) -> str:
    seen = sim.plant.scratch[0]
    t = int(seen["tether"])
    name, line = _tether(sim, t), sim.plant.line[t]
    if code == W.TANGLED_TURNS:
        return (
            f"more than {W.TURNS_MAX} turns of {name!r} are round {_object(sim, int(seen['hit_object']))}; "
            f"one of its ends, {_ends(sim, name)}, went round it"
        )
    length, apart = sim[name].length, float(line["distance"])
    said = (
        f"{name!r} is within {1000.0 * float(line['rotor_gap']):.0f} mm of a rotor of {_body(sim, 'body')!r}"
    )
    if length > SLACK * apart:
        return f"{said}; it is slack, {length:.2f} m are out for the {apart:.2f} m between {_ends(sim, name)}"
    return f"{said}; the robot flew or tilted into it"


def _too_short(sim: SceneSimulation) -> str:
    t = int(sim.plant.scratch["tether"][0])
    name, apart = _tether(sim, t), float(sim.plant.line["distance"][t])
    said = (
        f"all {sim.scene.tethers[name].length_total:.2f} m of {name!r} are out and taut, with {apart:.2f} m "
        f"between {_ends(sim, name)}"
    )
    owners = [site.owner for end in range(2) if (site := sim.site_of(name, end)) is not None]
    for owner in owners:
        target = sim.target_of(owner)
        if target is not None and np.linalg.norm(target - sim[owner].position) > FAST:
            return f"{said}; {owner!r} is sent farther, to {target.round(2).tolist()}"
    return f"{said}; its winch was asked for more"


def _body(sim: SceneSimulation, field: str) -> str:
    return _bodies(sim)[int(sim.plant.scratch[field][0])]


def _bodies(sim: SceneSimulation) -> list[str]:
    """Names, in the order of the graph."""
    return [part.name for part in sim.scene.parts.values() if isinstance(part, Body)]


def _tether(sim: SceneSimulation, t: int) -> str:
    return list(sim.scene.tethers)[t]


def _ends(sim: SceneSimulation, tether: str) -> str:
    sites = (sim.site_of(tether, end) for end in range(2))
    return " and ".join("a free end" if site is None else repr(site.owner) for site in sites)


def _object(sim: SceneSimulation, who: int) -> str:
    """An obstacle, or the body that carries it."""
    rider = int(sim.graph.rider[who])
    name = sim.world.names[who]
    if rider >= 0:
        return repr(_bodies(sim)[rider])
    return f"the obstacle {name!r}" if name else "an obstacle"
