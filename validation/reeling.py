"""Reeling: what tension and shape notice when nodes come and go at the winch."""

import math
from collections.abc import Callable, Iterator

import numpy as np

import tetherlab as tl
from validation.figure import COLOURS, GREY, MARKERS, drawing
from validation.table import Picture, Row, Study, at_most, holds, markdown, number, reported

LINEAR_DENSITY = 0.0667  # [kg/m]
ELEMENTS = (0.05, 0.10, 0.20)  # [m]
SPEEDS = (0.1, -0.1, 0.5, -0.5, 3.0, -3.0)  # [m/s], > 0 pays out
CALL = 0.002  # [s]
RAMP = 2.0  # acceleration of the winch [m/s^2]; at 6 the body bounces until the tether is slack
SETTLING = 10  # calls next to a change of the winch's acceleration that are not judged
LENGTH = 12.0  # [m]

JUMP_CAPTION = (
    "Largest jump [N]: at events while the winch runs at steady speed / the same measure in calls without an "
    "event / at all events, those within 20 ms of a change of the winch's acceleration included:\n\n"
)

Say = Callable[[str], None]


def run(say: Say) -> Study:
    """Jumps in ordinary cases, what must be conserved, long ways, and the hairpin."""
    study = Study(
        title="Reeling",
        model=(
            "Tether of 12 m and 0.0667 kg/m, EA = 10 kN, c = 10 N s, called every 2 ms. *Slack*: ends 6 m"
            " apart. *Taut*: a body of 2 kg hangs from the winch. The winch accelerates with 2 m/s². "
            "Jump: change of the tension at the winch across an event (a node appears or vanishes) less "
            "the mean change in the calls around it; the largest of a run, without the 20 ms next to a "
            "change of the winch's acceleration, which is a jump of its own. *Hairpin*: ends 4 cm apart, "
            "at rest, reeled 2 → 10 → 1 m; its largest tension beside that with elements of 0.025 m."
        ),
        truth=(
            "A winch that pays out smoothly pulls smoothly; mass is conserved; the shape at rest does not"
            " depend on how the length came about."
        ),
    )
    jumps_found = {
        (state, element, speed): _jumps_of_run(say, state, element, speed)
        for state in ("slack", "taut")
        for element in ELEMENTS
        for speed in SPEEDS
    }
    for state in ("slack", "taut"):
        for element in ELEMENTS:
            worst = max(jumps_found[state, element, speed][0] for speed in (0.5, -0.5))
            name = f"{state}, 0.5 m/s out and in, elements {element:.2f} m: largest jump"
            ramps = max(jumps_found[state, element, speed][2] for speed in (0.5, -0.5))
            study.rows.append(at_most(name, "N", 0.05, worst, f"{number(ramps)} N with the winch's ramps"))
        worst, element, speed = max((jumps_found[state, e, s][0], e, s) for e in ELEMENTS for s in SPEEDS)
        name = f"{state}, 0.1 to 3 m/s, all elements: largest jump"
        study.rows.append(at_most(name, "N", 0.05, worst, f"elements {element:.2f} m, {speed:+g} m/s"))
    study.text = JUMP_CAPTION + _jump_table(jumps_found)
    study.rows += conserved(say)
    study.rows += [shape_after(say), *there_and_back(say)]
    hairpin_rows, trace = hairpins(say)
    study.rows += hairpin_rows
    _draw(jumps_found, trace)
    study.pictures.append(Picture("validation_reeling.svg", "Jumps of tension, and the tension of a hairpin"))
    return study


def _spec(**changes: float) -> tl.TetherSpec:
    values = {"linear_density": LINEAR_DENSITY, "diameter": 0.008, **changes}
    return tl.TetherSpec(**values)


def _tether(state: str, element: float) -> tl.Tether:
    """12 m of tether at rest: slack over 6 m, or with a body of 2 kg below the winch."""
    if state == "slack":
        tether = tl.Tether(
            _spec(), base=(0.0, 0.0, 0.0), end=(6.0, 0.0, 0.0), length=LENGTH, element_length=element
        )
    else:
        stretch = 1.0 + (2.0 + 0.5 * LINEAR_DENSITY * LENGTH) * 9.80665 / 1e4
        tether = tl.Tether(
            _spec(),
            base=(0.0, 0.0, 0.0),
            end=(0.0, 0.0, -LENGTH * stretch),
            length=LENGTH,
            element_length=element,
            end_body=tl.PointMass(2.0),
        )
    for _ in range(400):  # what the start lacks in strain must ring out first
        tether.step(0.05)
    return tether


def _reel(tether: tl.Tether, speed: float, distance: float) -> Iterator[tuple[float, int, bool, float]]:
    """Speed up, reel a distance at full speed, slow down.

    Tension at the winch, number of nodes, whether the speed is steady, and what was paid out [m], per call.
    """
    ramp = RAMP * CALL * np.arange(1.0, abs(speed) / RAMP / CALL)
    steady = round((abs(distance) - 2.0 * CALL * ramp.sum()) / CALL / abs(speed))
    paces = np.concatenate([ramp, np.full(steady, abs(speed)), ramp[::-1]])
    paces *= abs(distance) / CALL / paces.sum()
    for k, pace in enumerate(paces):
        forces = tether.step(CALL, reel_speed=math.copysign(pace, speed))
        at_speed = len(ramp) + SETTLING < k < len(ramp) + steady - SETTLING
        yield (
            float(np.linalg.norm(forces.on_base)),
            len(tether.nodes),
            at_speed,
            math.copysign(pace, speed) * CALL,
        )


def jumps(
    tension: np.ndarray, nodes: np.ndarray, steady: np.ndarray, _: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Jumps at events at steady speed, the same measure away from any event, and jumps at all events [N].

    Where the winch starts or stops to accelerate the tension jumps by itself, and should; so the first two
    leave out the calls next to that, and the third shows what was left out.
    """
    change = np.diff(tension)
    excess = np.zeros(len(change))
    for k in range(3, len(change) - 3):
        around = np.concatenate([change[k - 3 : k - 1], change[k + 2 : k + 4]])
        excess[k] = abs(change[k] - around.mean())
    event = np.zeros(len(change), bool)
    # A node that appears at the end of call k + 1 changes the tension of call k + 2 at the latest.
    at = np.flatnonzero(np.diff(nodes))
    event[at] = True
    event[np.minimum(at + 1, len(event) - 1)] = True
    quiet = ~event
    for shift in (1, 2, 3):
        quiet[shift:] &= ~event[:-shift]
        quiet[:-shift] &= ~event[shift:]
    judged = steady[:-1] > 0
    judged[:4] = judged[-4:] = False
    return excess[event & judged], excess[quiet & judged], excess[event]


def _jumps_of_run(say: Say, state: str, element: float, speed: float) -> tuple[float, float, float]:
    """Largest jump at steady speed, in quiet calls, and with the ramps of the winch [N]."""
    say(f"{state}, elements of {element:g} m, {speed:+g} m/s")
    distance = max(6.0 * element, min(7.0, 2.5 * abs(speed)))
    run = np.array(list(_reel(_tether(state, element), speed, distance)))
    return tuple(float(found.max(initial=0.0)) for found in jumps(*run.T))


def _jump_table(found: dict[tuple[str, float, float], tuple[float, float, float]]) -> str:
    lines = []
    for state in ("slack", "taut"):
        for element in ELEMENTS:
            cells = [found[state, element, speed] for speed in SPEEDS]
            lines.append([state, f"{element:.2f}", *(" / ".join(map(number, cell)) for cell in cells)])
    return markdown(("", "element [m]", *(f"{speed:+g} m/s" for speed in SPEEDS)), lines)


def _rest_lengths(tether: tl.Tether) -> np.ndarray:
    """Unstretched lengths of the elements, which users need not see [m]."""
    return tether._state.rest[: len(tether.nodes) - 1]


def _momentum(tether: tl.Tether, reel_speed: float) -> np.ndarray:
    """Of all the tether that is out [N s]; at the base it moves with the winch's speed along itself."""
    half = 0.5 * LINEAR_DENSITY * _rest_lengths(tether)
    mass = half + np.append(half[1:], 0.0)
    nodes = tether.nodes
    along = (nodes[1] - nodes[0]) / np.linalg.norm(nodes[1] - nodes[0])
    return mass @ tether.velocities[1:] + half[0] * reel_speed * along


def conserved(say: Say) -> list[Row]:
    """Mass exactly; momentum apart from what flows in and what forces do in an ordinary call."""
    say("mass and momentum")
    drift, change, before, calls, paid = 0.0, [], 0, 0, [LENGTH]
    tether = _tether("slack", 0.1)
    for speed in (0.5, -0.5):
        last, steps, events = _momentum(tether, 0.0), [], []
        count = len(tether.nodes)
        for _, nodes, steady, more in _reel(tether, speed, 2.0):
            paid.append(more)
            calls += 1
            drift = max(drift, abs(math.fsum(_rest_lengths(tether)) - math.fsum(paid)))
            now = _momentum(tether, speed)
            steps.append(now - last)
            events.append(nodes != count and steady)
            last, count = now, nodes
        step, event = np.array(steps), np.array(events)
        # The change of momentum at an event, less that of the calls before and after it.
        at = np.flatnonzero(event[1:-1]) + 1
        change += list(np.linalg.norm(step[at] - 0.5 * (step[at - 1] + step[at + 1]), axis=1))
        before += len(at)
    return [
        at_most(
            "mass: sum of the elements less what the winch paid out",
            "m",
            1e-12,
            drift,
            f"{number(drift / LENGTH)} of the length, rounding summed over {calls} calls",
        ),
        reported(
            "momentum: largest change at an event beyond that of its neighbours",
            "N s",
            max(change),
            f"{before} events",
        ),
    ]


def shape_after(say: Say) -> Row:
    """12 -> 18 -> 12 m, then rest: distance of the nodes from the true curve, against a fresh mesh."""
    say("shape after 12 -> 18 -> 12 m")
    spec = _spec(drag_coefficient=1e5, drag_coefficient_tangential=1e5, axial_damping=100.0)
    curve = tl.ElasticCatenary.between((0, 0, 0), (9.0, 0, 0), LENGTH, LINEAR_DENSITY, spec.axial_stiffness)

    def misses(way: float) -> float:
        tether = tl.Tether(spec, base=(0.0, 0.0, 0.0), end=(9.0, 0.0, 0.0), length=LENGTH)
        for speed in (0.5, -0.5) if way else ():
            for _ in _reel(tether, speed, way):
                pass
        for _ in range(4000):
            tether.step(0.05)
        arc = np.concatenate([[0.0], np.cumsum(_rest_lengths(tether))])
        true = curve.position(np.minimum(arc, LENGTH))
        return 100.0 * float(np.linalg.norm(tether.nodes - true, axis=1).mean()) / LENGTH

    reeled, fresh = misses(6.0), misses(0.0)
    return at_most(
        "shape at rest after 12 → 18 → 12 m: mean error",
        "% of length",
        0.01,
        reeled,
        f"fresh mesh {number(fresh)} %",
    )


def there_and_back(say: Say) -> list[Row]:
    """A hanging body from 5 cm to 18 m and back."""
    say("0.05 -> 18 -> 0.05 m")
    tether = tl.Tether(
        _spec(), base=(0.0, 0.0, 0.0), end=(0.0, 0.0, -0.05), length=0.05, end_body=tl.PointMass(2.0)
    )
    runs, drift, paid = [], 0.0, [0.05]
    for speed in (1.0, -1.0):
        for call in _reel(tether, speed, 17.95):
            runs.append(call)
            paid.append(call[3])
        drift = max(drift, abs(math.fsum(_rest_lengths(tether)) - math.fsum(paid)))
    events, quiet, _ = jumps(*np.array(runs).T)
    left = len(tether.nodes) - 1
    back = abs(tether.length - 0.05) < 1e-9 and abs(tether.nodes[-1, 2] + 0.05) < 1e-3
    note = (
        f"1 m/s, 2 kg body; jump p95 {number(np.percentile(events, 95))} N, "
        f"largest {number(events.max())} N, "
        f"without event {number(quiet.max())} N"
    )
    return [
        holds("0.05 → 18 → 0.05 m with a hanging body", back, f"{left} elements left", note),
        at_most(
            "mass on this way: sum of the elements less what the winch paid out",
            "m",
            1e-12,
            drift,
            f"{len(runs)} calls",
        ),
    ]


def _hairpin(element: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Calls of `_reel` on the way out and in."""
    tether = tl.Tether(
        _spec(), base=(0.0, 0.0, 0.0), end=(0.04, 0.0, 0.0), length=2.0, element_length=element
    )
    for _ in range(400):
        tether.step(0.05)
    out = np.array(list(_reel(tether, speed, 8.0)))
    return out, np.array(list(_reel(tether, -speed, 9.0)))


def hairpins(say: Say) -> tuple[list[Row], np.ndarray]:
    """Rows for three speeds and elements, and the tension over time at 0.5 m/s."""
    rows, trace = [], np.empty(0)
    for speed, element in ((0.5, 0.05), (0.5, 0.1), (0.5, 0.2), (1.0, 0.1), (3.0, 0.1)):
        name = f"hairpin, {speed:g} m/s, elements {element:.2f} m"
        say(name)
        try:
            out, back = _hairpin(element, speed)
            fine = np.concatenate(_hairpin(0.025, speed))[:, 0].max()
        except tl.SimulationError as error:
            rows.append(holds(f"{name}: finishes", False, "no", str(error).split(". ")[0]))
            continue
        if (speed, element) == (0.5, 0.1):
            trace = np.concatenate([out[:, 0], back[:, 0]])
        for way, run in (("out", out), ("in", back)):
            events, quiet, _ = jumps(*run.T)
            note = (
                f"p95 {number(np.percentile(events, 95))} N; without event p95 "
                f"{number(np.percentile(quiet, 95))}, largest {number(quiet.max())} N"
            )
            rows.append(at_most(f"{name} {way}: largest jump", "N", 0.05, float(events.max()), note))
        peak = max(float(out[:, 0].max()), float(back[:, 0].max()))
        rows.append(
            at_most(f"{name}: largest tension", "N", 1.2 * fine, peak, f"{number(fine)} N on the fine mesh")
        )
    return rows, trace


def _draw(found: dict[tuple[str, float, float], tuple[float, float]], trace: np.ndarray) -> None:
    with drawing("validation_reeling.svg", columns=2, height=3.4) as (left, right):
        for i, element in enumerate(ELEMENTS):
            for state, fill in (("slack", "white"), ("taut", COLOURS[i])):
                place = np.arange(len(SPEEDS)) + 0.2 * (i - 1) + (0.06 if state == "taut" else -0.03)
                values = [max(found[state, element, speed][0], 1e-6) for speed in SPEEDS]
                label = f"{element:.2f} m, {state}"
                left.semilogy(place, values, MARKERS[i], color=COLOURS[i], markerfacecolor=fill, label=label)
        left.axhline(0.05, color=GREY, linestyle="--", linewidth=1)
        left.text(-0.4, 0.055, "target", color=GREY)
        left.set_xticks(range(len(SPEEDS)), [f"{speed:+g}" for speed in SPEEDS])
        left.set_xlabel("reel speed [m/s]")
        left.set_ylabel("largest jump of tension [N]")
        left.legend(fontsize=7, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.2))
        if len(trace):
            right.plot(CALL * np.arange(len(trace)), trace, color=COLOURS[0], linewidth=0.7)
        right.set_xlabel("time [s]")
        right.set_ylabel("tension at the winch [N]")
        right.set_title("hairpin 2 → 10 → 1 m, 0.5 m/s", fontsize=10)
