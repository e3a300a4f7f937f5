"""Advance the robot through commands that are held, with steps as long as the tolerances allow.

Where the tether becomes taut or slack the force jumps or has a kink. A step ends exactly there: what the
tether does is held within a step, and the step is shortened until it meets the instant of change.
"""

import math

from tetherlab.math.kernel import inlined, kernel, njit
from tetherlab.vehicles.avocado.motion import ANGLES, LOOSE, PULLS, REEL_SPEED, SIZE, SLACK, law, mode_of
from tetherlab.vehicles.avocado.prepare import prepare
from tetherlab.vehicles.avocado.radau import (
    estimate_again,
    estimate_error,
    factorise,
    keep_rate,
    solve_stages,
)
from tetherlab.vehicles.avocado.radau_table import NODES, STAGES
from tetherlab.vehicles.avocado.record import DISTANCE, LENGTH, RATES, RECORD, pack, unpack
from tetherlab.vehicles.avocado.state import LENGTH_MIN

STEP_MIN = 1e-13  # [s]
STEPS_MAX = 200_000  # within one hold
GROWTH_MAX = 8.0  # of the next step
ALONG_SHARE, ACROSS_SHARE = 0.1, 0.3  # of the error that is allowed to the motion of P, for l' and Omega'
SINE_MIN = 1e-12  # of theta
BISECTIONS = 45  # to meet an instant within 1e-13 of a step

COMPLETED, REELED_IN, AT_ANCHOR, STALLED = 0, 1, 2, 3


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def advance(model, chart, commands, holds, rtol, atol, work, records, steps):
    """Fill records[1:] from records[0], one per command; how it ended, and how many records are valid.

    commands (n, 3): reel speed, thrust, torque. holds (n,): how long each lasts [s]. steps (3,): the length
    to try first [s], kept for the next call; the number of steps, which is added to; the time that the last
    hold lasted [s].
    """
    for k in range(commands.shape[0]):
        for i in range(RECORD):
            records[k + 1, i] = records[k, i]
        status = _hold(model, chart, records[k + 1], commands[k], holds[k], rtol, atol, work, steps)
        if status != COMPLETED:
            return status, k + 2
    return COMPLETED, commands.shape[0] + 1


@inlined
def _hold(model, chart, record, command, duration, rtol, atol, work, steps):
    """Advance a record by one command."""
    y, t, length, idle, fresh = work.now, 0.0, record[LENGTH], 0, True
    stretch = record[DISTANCE] - length
    mode = mode_of(model, stretch, record[RATES] - command[REEL_SPEED])
    for _ in range(STEPS_MAX):
        rest = duration - t
        steps[2] = t
        record[LENGTH] = length + t * command[REEL_SPEED]
        if record[LENGTH] < LENGTH_MIN:
            return REELED_IN
        if record[DISTANCE] < LENGTH_MIN:
            return AT_ANCHOR
        if rest <= 0.0:
            return COMPLETED
        unpack(chart, record, y, work.base)
        prepare(model, chart, y, mode, record[LENGTH], command, fresh, work)
        h = rest if steps[0] > rest else steps[0] if steps[0] < 0.6 * rest else 0.5 * rest
        h, growth = _step(model, chart, y, mode, record[LENGTH], command, h, rtol, atol, fresh, work)
        if h == 0.0:
            return STALLED
        steps[1] += 1.0
        # A short step at the end of a hold that went well says nothing about longer ones.
        if growth < GROWTH_MAX or h * growth > steps[0]:
            steps[0] = h * growth
        fresh = False
        changed, h = _meet(model, chart, y, mode, record[LENGTH], command, h, work)
        if changed != mode:
            # Two changes at the same instant are possible, more are a mistake.
            idle = idle + 1 if h <= STEP_MIN else 0
            if idle > 4:
                return STALLED
            mode, fresh, steps[0] = changed, True, min(steps[0], 1e-3)
        if h > 0.0:
            keep_rate(work, h)
            pack(chart, record, y, work)
        t = duration if h == rest else t + h
    return STALLED


@inlined
def _step(model, chart, y, mode, tether, command, h, rtol, atol, fresh, work):
    """Solve a step of at most h within the tolerances: its length (0: there is none), and how it may grow.

    fresh: the command or what the tether does has just changed.
    """
    _fill_scale(chart, y, rtol, atol, work)
    tolerance = max(10.0 * 2.2e-16 / rtol, min(0.03, math.sqrt(rtol)))
    growth_max = GROWTH_MAX
    while h > STEP_MIN:
        error = math.inf
        if (
            factorise(work, h)
            and solve_stages(model, chart, y, mode, tether, command, h, tolerance, work) > 0
        ):
            for i in range(SIZE):
                work.y[i] = max(abs(y[i]), abs(y[i] + work.Z[STAGES - 1, i]))
            _fill_scale(chart, work.y, rtol, atol, work)
            error = estimate_error(work, h)
            if error > 1.0 and (fresh or growth_max == 1.0):
                error = estimate_again(model, chart, y, mode, tether, command, work, h)
        if error <= 1.0:
            return h, min(growth_max, 0.9 * max(error, 1e-10) ** -0.25)
        growth_max = 1.0
        h *= max(0.2, min(0.9, 0.9 * error**-0.25))
    return 0.0, 1.0


@inlined
def _fill_scale(chart, y, rtol, atol, work):
    """The error that is allowed. Angles go round in circles: theirs counts against one radian.

    Two kinds of rates are small beside the motion that they belong to: l', which the damper of the tether
    makes good within microseconds, and close to the vertical the sideways share of the tether's motion, which
    Omega' shows magnified by 1 / sin(theta). They also get a part of what the motion as a whole is allowed.
    """
    scale = work.scale
    for i in range(SIZE):
        scale[i] = atol + rtol * (1.0 if 1 <= i <= 4 else abs(y[i]))
    if chart == ANGLES:
        sine = max(abs(math.sin(y[2])), SINE_MIN)
        scale[5] += ALONG_SHARE * rtol * abs(y[0]) * (abs(y[7]) + sine * abs(y[6]))
        sideways = ACROSS_SHARE * rtol * abs(y[7]) / sine
        scale[6] += sideways
        scale[8] += sideways
    else:
        scale[5] += ALONG_SHARE * rtol * abs(y[0]) * (abs(y[6]) + abs(y[8]))


@inlined
def _indicator(model, y, mode, tether, command, h, stage, work):
    """At a stage of a solved step, positive if the tether no longer does what `mode` says."""
    t = NODES[stage] * h
    stretch = y[0] + work.Z[stage, 0] - tether - t * command[REEL_SPEED]
    pull = law(model, stretch, y[5] + work.Z[stage, 5] - command[REEL_SPEED])
    if mode == SLACK:
        return stretch
    return -pull if mode == PULLS else max(-model.tether_stiffness * stretch, pull)


@inlined
def _meet(model, chart, y, mode, tether, command, h, work):
    """Shorten a solved step to the instant at which the tether changes; what it does then, and the step."""
    for stage in range(STAGES):
        if _indicator(model, y, mode, tether, command, h, stage, work) > 0.0:
            return _bisect(model, chart, y, mode, tether, command, NODES[stage] * h, work)
    return mode, h


@kernel
def _bisect(model, chart, y, mode, tether, command, late, work):
    """What the tether does after its change, and how long the step to there is, at most `late`.

    By bisection on whole steps, so that the instant is as exact as they are. The last is to the instant.
    """
    early = 0.0
    for k in range(BISECTIONS + 1):
        h = 0.5 * (early + late) if k < BISECTIONS else late
        factorise(work, h)
        solve_stages(model, chart, y, mode, tether, command, h, 1e-4, work)
        if _indicator(model, y, mode, tether, command, h, STAGES - 1, work) > 0.0:
            late = h
        else:
            early = h
    stretch = y[0] + work.Z[STAGES - 1, 0] - tether - late * command[REEL_SPEED]
    if mode == SLACK:
        return PULLS, late
    if mode == PULLS:
        return (LOOSE if stretch > 0.0 else SLACK), late
    return (SLACK if stretch < 0.0 else PULLS), late
