"""What the arrays of a plant may hold: a rule for each field, and which one a stored state breaks.

Compiled code takes indices, counts and kinds as they are, so nothing that was read from a file gets there
before `broken_rule` has looked at it. A new field of a record needs a rule here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import plain
from tetherlab.math.rigid_body import BODY
from tetherlab.plant import model as P
from tetherlab.plant.free_part import HANGING
from tetherlab.plant.graph import BODY_BOOKS, COMMAND, RIDE, TIE, Graph
from tetherlab.plant.hook import HOOK
from tetherlab.plant.joint import AT_UPPER, JOINT, SETTLING
from tetherlab.plant.pair_contact import PAIR
from tetherlab.tether import model as M
from tetherlab.tether.wrap import WRAP
from tetherlab.vehicles.avocado.thrusters import ROBOT
from tetherlab.vehicles.platform import PLATFORM
from tetherlab.vehicles.power.supply import EMPTY, SUPPLY
from tetherlab.vehicles.quadrotor import QUADROTOR
from tetherlab.vehicles.rover import ROVER
from tetherlab.vehicles.winch import WINCH
from tetherlab.world.contact import CONTACT

LARGEST = 1e9  # of any quantity that lasts, in SI units
REST_MIN = 1e-9  # of an element [m]
ORTHONORMAL_WITHIN = 1e-6
SAME_WITHIN = 1e-9  # of what a scenario gives, relative: another machine may round otherwise
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Rule:
    """What a field may hold."""

    low: float = -LARGEST
    high: float = LARGEST
    nan: bool = False  # NaN means: none
    fixed: bool = False  # as the scenario makes it
    rotation: bool = False  # the first nine are a rotation matrix, row by row
    of_objects: bool = False  # high counts the objects of the world instead

    def broken(self, value: NDArray[Any], built: NDArray[Any], objects: int) -> str:
        """What is wrong with a value, empty if nothing; built: what the scenario makes."""
        if self.fixed:
            same = np.isclose(value, built, rtol=SAME_WITHIN, atol=1e-12, equal_nan=True)
            return "" if same.all() else "is not that of this scenario"
        high = max(objects - 1, 0) if self.of_objects else self.high
        fits = (value >= self.low) & (value <= high)
        if self.nan:
            fits |= np.isnan(value)
        if not fits.all():
            wrong = value[~fits].flat[0]
            return f"must be from {self.low:g} to {high:g}{' or NaN' * self.nan}, got {wrong:g}"
        if self.rotation and value.size:
            R, new = (_matrices(array) for array in (value, built))
            R = R[new.any(axis=(1, 2))]  # an end without a body has none
            if (np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)) > ORTHONORMAL_WITHIN).any():
                return "must be a rotation"
        return ""


def _matrices(value: NDArray[Any]) -> NDArray[Any]:
    """Rotation matrices (n, 3, 3) of fields (..., 3, 3) or poses (..., 12)."""
    return value.reshape(-1, 9 if value.shape[-1] == 3 else 12)[:, :9].reshape(-1, 3, 3)


STATE = Rule()
AMOUNT = Rule(0.0)
POSSIBLY = Rule(nan=True)
FLAG = Rule(0, 1)
FIXED = Rule(fixed=True)
COUNTED = Rule(0, 2**62)
OBJECT = Rule(0, of_objects=True)
ROTATION = Rule(-1.5, 1.5, rotation=True)
POSES = Rule(rotation=True)
SCRATCH = None  # written anew before it is read

Rules = Mapping[str, Rule | None]


def _rules(**groups: str | dict[str, Rule]) -> dict[str, Rule | None]:
    """Rules by field: of words under the name of a rule, and others one by one."""
    found: dict[str, Rule | None] = {}
    for name, fields in groups.items():
        if isinstance(fields, dict):
            found |= fields
        else:
            found |= dict.fromkeys(fields.split(), globals()[name])
    return found


BODY_RULES = _rules(
    FIXED="inertia_B attachment_B point_count point_B point_radius friction stiffness",
    STATE="p_W v_W L_W force_W torque_W pull_W",
    FLAG="implicit",
    SCRATCH="u arm_W R_next half_W rhs block response",
    others={"R_WB": ROTATION, "mass": AMOUNT},
)
CONTACT_RULES = _rules(
    FLAG="near active touching",
    OBJECT="object",
    STATE="clearance anchor_O normal_W force_W friction normal_force depth stored roll_W turn_W slip_W",
    SCRATCH="depth_next stored_next stiffness",
)
WRAP_RULES = _rules(
    FLAG="active began loose near measured bent string slipping held",
    OBJECT="object",
    STATE="gap moved room origin_O axis_O zero_O radius friction polar axial rest_a angle angle_a "
    "stretch_a stretch_b ease",
    SCRATCH="angle_next angle_a_next axial_next rest_a_next stretch_a_next stretch_b_next polar_next ratio "
    "tension_a tension_b pull_a pull_b axial_a axial_b leg_a leg_b k_aa k_ab k_ba k_bb reach_a reach_b "
    "point_W along_W",
    others={"side": Rule(-1, 1), "way": Rule(-1, 1)},
)
QUADROTOR_RULES = _rules(
    FIXED="body rotor_count rotor_B rotor_radius direction thrust_coefficient torque_coefficient "
    "speed_min speed_max time_constant drag_linear_B drag_quadratic allocation sharing attitude_gain "
    "rate_gain yaw_gain yaw_rate_gain tilt_max",
    AMOUNT="speed thrust",
    FLAG="armed saturated",
)
ROVER_RULES = _rules(
    FIXED="body wheel_count wheel_B wheel_radius wheel_inertia wheel_speed_max wheel_torque_max "
    "rolling_resistance steers steering_angle_max steering_rate_max half_track",
    STATE="wheel_speed steering drive_power reaction_W",
)
WINCH_RULES = _rules(
    FIXED="tether drum_radius drum_width tether_diameter tether_density length_total length_min drum_inertia "
    "rotor_inertia gear_ratio torque_max motor_speed_max friction_torque speed_max acceleration_max "
    "encoder_step length_gain tension_gain tension_filter",
    AMOUNT="length radius",
    STATE="speed tension tension_seen angle torque power",
    FLAG="limited",
)
PLATFORM_RULES = _rules(
    FIXED="present joint_B top_P foot_B length_min stroke_max speed_max speed_loaded force_max "
    "time_constant mass center_P sensor_B period filter_time noise bias_P gain integral_gain rate_gain "
    "dead_band",
    FLAG="powered started limited",
    STATE="roll pitch rate_B stroke speed wanted force torque_W wait v_W felt_P seen integral",
    COUNTED="random",
    others={"R_BP": ROTATION},
)
SUPPLY_RULES = _rules(
    FIXED="rotorcraft winch rover cable_length resistance temperature_coefficient connectors diameter "
    "heat_capacity wound_cooling temperature_max disc_area figure_of_merit drive_efficiency avionics "
    "voltage_min hold_up air_density air_temperature capacity curve curve_count battery_resistance cut_off "
    "converts cable_voltage base_efficiency drone_efficiency",
    AMOUNT="length down",
    STATE="temperature temperature_wound base_load power power_max current voltage loss battery_current "
    "battery_voltage",
    others={"charge": Rule(0, 1), "status": Rule(0, EMPTY)},
)
PART_RULES = _rules(
    FIXED="robot group origin_B first_sphere last_sphere",
    STATE="origin_W clearance pull_W acceleration_W before_W",
)
THRUSTER_RULES = _rules(
    FIXED="thrust_up motor_arm motor_min motor_max motor_lag propeller_radius drag drag_turning_B "
    "damping_phi damping_roll fails_at",
    STATE="motor cushion thrust",
    FLAG="saturated",
)
HANGING_RULES = _rules(
    FIXED="body tether",
    AMOUNT="tension length",
    STATE="rate point_W along_W speed_W state",
    SCRATCH="rate_W record frame turn joint across",
    others={"object": Rule(-1, of_objects=True)},
)
HOOK_RULES = _rules(FIXED="tether damping_phi damping_roll damping_spin", AMOUNT="tension")
LINE_RULES = _rules(
    FIXED="strength rotor_gap", STATE="base_W end_W", AMOUNT="tension_peak end_peak distance taut_for"
)
BERTH_RULES = _rules(FIXED="body tether deck ride exit_B stand_B", STATE="stand_W")
CLOCK_RULES = _rules(AMOUNT="time", COUNTED="steps", FLAG="failed apart")
# Of the graph.
TIE_RULES = _rules(FIXED="body", STATE="r_B slide_B", SCRATCH="arm_W response")
COMMAND_RULES = _rules(STATE="reel_speed position_W velocity_W")
RIDE_RULES = _rules(
    FIXED="object body",
    STATE="r_B twist_B",
    SCRATCH="pose_W twist_W kick",
    others={"R_BO": ROTATION},
)
JOINT_RULES = _rules(
    FIXED="kind body r_B axes_B stiffness rest damping torque_max limit release_time",
    STATE="torque held_rate held_angle driven_rate angle load slip_rate",
    SCRATCH="lock_next held_next angle_next load_next settling_next switched arm_W arm_next_W axes_W "
    "axes_next_W cross cross_next product product_next row row_next spring spring_next pull gap rhs block",
    others={"lock": Rule(0, AT_UPPER), "settling": Rule(0, SETTLING)},
)
PAIR_RULES = _rules(
    FIXED="body point",
    FLAG="near active touching",
    STATE="normal_W arm_W force_W normal_force depth stick_W stored",
    SCRATCH="depth_next stick_next_W stored_next stiffness coupling",
)
BOOKS_RULES = _rules(AMOUNT="time", STATE="work dissipated")
RECORDS: dict[np.dtype[Any], Rules] = {
    P.PART: PART_RULES,
    P.LINE: LINE_RULES,
    P.BERTH: BERTH_RULES,
    P.CLOCK: CLOCK_RULES,
    TIE: TIE_RULES,
    COMMAND: COMMAND_RULES,
    RIDE: RIDE_RULES,
    JOINT: JOINT_RULES,
    PAIR: PAIR_RULES,
    BODY_BOOKS: BOOKS_RULES,
    BODY: BODY_RULES,
    CONTACT: CONTACT_RULES,
    WRAP: WRAP_RULES,
    QUADROTOR: QUADROTOR_RULES,
    ROVER: ROVER_RULES,
    ROBOT: THRUSTER_RULES,
    HANGING: HANGING_RULES,
    HOOK: HOOK_RULES,
    WINCH: WINCH_RULES,
    PLATFORM: PLATFORM_RULES,
    SUPPLY: SUPPLY_RULES,
}

# Of a tether, by the names that `open_model`, `open_state` and `open_work` give to parts of its memory.
MODEL_RULES = dict.fromkeys(M.TetherModel._fields, FIXED)
STATE_RULES = _rules(
    FIXED="end_mass end_radius",
    STATE="total end_force path impulse push x v a rest offset tension drift shared free_bend kink reaction",
    SCRATCH="number",  # each by its own rule, below
)
WORK_RULES: Rules = dict.fromkeys(M.Workspace._fields, SCRATCH)
NUMBER_RULES = {
    M.COUNT: Rule(1),  # and as many as there is room for
    M.KIND_BASE: FIXED,
    M.KIND_END: FIXED,
    M.FAILED: FLAG,
    M.EVENTS: COUNTED,
    M.FOLDED: Rule(0, M.REELED),
}

PLANT_RULES = _rules(
    FIXED="hull",
    SCRATCH="scratch",
    others={"pose": POSES},
)
# Of those that last, see graph_build.py; all others are records.
GRAPH_RULES = _rules(FIXED="rider meets drapes held stowed", STATE="stock load reaction")
RECORD_FIELDS = (
    "rotorcraft", "rover", "thrusters", "hanging", "winch", "berth", "platform", "supply", "hook", "hooked",
    "part", "line", "clock",
)  # fmt: skip
GRAPH_RECORDS = ("tie", "command", "body", "body_contact", "pair", "joint", "ride", "books")
FIELD_RULES = {"pose": POSES, "twist": STATE}


def broken_rule(built: P.Plant, stored: P.Plant) -> str:
    """Which field of a stored plant is not what it may be, and why; empty if all are.

    built: the plant that the scenario makes, with arrays of the same shapes.
    """
    return next(_broken(built, stored), "")


def _broken(built: P.Plant, stored: P.Plant) -> Iterator[str]:
    objects = len(built.field.objects)
    for name, rule in PLANT_RULES.items():
        yield from _check(name, rule, getattr(stored, name), getattr(built, name), objects)
    for name, rule in FIELD_RULES.items():
        yield from _check(
            f"field.{name}", rule, getattr(stored.field, name), getattr(built.field, name), objects
        )
    for name in RECORD_FIELDS:
        yield from _check_records(name, getattr(stored, name), getattr(built, name), objects)
    yield from _check_graph(built.graph, stored.graph, objects)
    for winch in stored.winch:
        length, out = winch["length"], winch["length_total"]
        if length > out + SAME_WITHIN:
            yield f"winch.length must be at most {out:g}, got {length:g}"


def _check_graph(built: Graph, stored: Graph, objects: int) -> Iterator[str]:
    for name, rule in GRAPH_RULES.items():
        yield from _check(name, rule, getattr(stored, name), getattr(built, name), objects)
    for name in GRAPH_RECORDS:
        yield from _check_records(name, getattr(stored, name), getattr(built, name), objects)
    if not (stored.body["mass"] > 0.0).all():
        yield f"body.mass must be > 0, got {stored.body['mass'].min():g}"
    for t in range(len(built.tie)):
        new, now = (M.Memory(*[array[t] for array in graph.memories]) for graph in (built, stored))
        yield from _check_tether(new, now, objects)


def _check_tether(built: M.Memory, stored: M.Memory, objects: int) -> Iterator[str]:
    for opened, rules in (
        (M.open_model, MODEL_RULES),
        (M.open_state, STATE_RULES),
        (M.open_work, WORK_RULES),
    ):
        now, new = plain(opened)(stored), plain(opened)(built)
        for name, rule in rules.items():
            value, fresh = np.asarray(getattr(now, name)), np.asarray(getattr(new, name))
            yield from _check(f"tether.{name}", rule, value, fresh, objects)
    for name in ("contact", "wrap", "body", "body_contact"):
        yield from _check_records(f"tether.{name}", getattr(stored, name), getattr(built, name), objects)
    number, room = stored.number, len(stored.contact)
    for index, rule in NUMBER_RULES.items():
        where = f"tether.number[{index}]"
        yield from _check(where, rule, number[index : index + 1], built.number[index : index + 1], objects)
    count = int(number[M.COUNT])
    if count > room - 2:
        yield f"tether.number[{M.COUNT}] must be from 1 to {room - 2} elements, got {count}"
        return
    rest = plain(M.open_state)(stored).rest[:count]
    if rest.min() < REST_MIN:
        yield f"tether.rest must be > 0 for each of {count} elements, got {rest.min():g}"


def _check_records(name: str, value: NDArray[Any], built: NDArray[Any], objects: int) -> Iterator[str]:
    for field, rule in RECORDS[value.dtype].items():
        yield from _check(f"{name}.{field}", rule, value[field], built[field], objects)
    if not objects and value.dtype in (CONTACT, WRAP):
        for field in ("active", "near", "touching"):
            if field in (value.dtype.names or ()) and value[field].any():
                yield f"{name}.{field} must be 0 in an empty world"


def _check(
    name: str, rule: Rule | None, value: NDArray[Any], built: NDArray[Any], objects: int
) -> Iterator[str]:
    said = "" if rule is None else rule.broken(np.asarray(value), np.asarray(built), objects)
    if said:
        yield f"{name} {said}"
