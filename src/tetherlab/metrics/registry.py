"""All metrics by name, what each means, and the function that computes it."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from tetherlab.contracts.log import Log
from tetherlab.metrics import canopy, catenary_error, motion, power, steps, tether_use, walls
from tetherlab.metrics.read import MissingError
from tetherlab.metrics.scene import SCENE_NAMED, is_scene, scene_metrics


class Metric(NamedTuple):
    """One number from a log; its name ends with its unit, unless it is a count."""

    name: str
    meaning: str
    compute: Callable[[Log], float]  # raises MissingError if the log does not hold what it takes


def _of(vehicle: str, function: Callable[[Log, str], float]) -> Callable[[Log], float]:
    return lambda log: function(log, vehicle)


METRICS = (
    Metric("sim_time_s", "duration", motion.duration),
    Metric("targets", "targets of the mission", motion.targets),
    Metric("targets_reached", "targets reached", motion.targets_reached),
    Metric("dist_uav_m", "distance flown by the UAV", _of("uav", motion.distance_travelled)),
    Metric("dist_ugv_m", "distance driven by the UGV", _of("ugv", motion.distance_travelled)),
    Metric("tether_released_m", "tether paid out, summed", tether_use.released),
    Metric("tether_collected_m", "tether reeled in, summed", tether_use.collected),
    Metric(
        "cat_error_percent",
        "tether to the nearest point of the free catenary, mean, of its length",
        catenary_error.nearest_error,
    ),
    Metric(
        "cat_error_arc_percent",
        "tether to the free catenary at equal arc length, mean, of its length",
        catenary_error.matched_error,
    ),
    Metric("track_rmse_uav_m", "UAV to its reference, root mean square", _of("uav", motion.tracking_rmse)),
    Metric("track_max_uav_m", "UAV to its reference, largest", _of("uav", motion.tracking_max)),
    Metric(
        "track_rmse_ugv_m",
        "UGV to its reference on the ground, root mean square",
        _of("ugv", motion.tracking_rmse),
    ),
    Metric("track_max_ugv_m", "UGV to its reference on the ground, largest", _of("ugv", motion.tracking_max)),
    Metric("slack_mean_percent", "length over distance, less one, mean", tether_use.slack_mean),
    Metric("tension_max_winch_N", "largest tension at the winch", tether_use.tension_max_at_winch),
    Metric("tension_max_uav_N", "largest pull of the tether on the UAV", tether_use.tension_max_at_uav),
    Metric("winch_energy_in_J", "energy drawn by the winch", partial(tether_use.winch_energy, sign=1.0)),
    Metric(
        "winch_energy_out_J", "energy given back by the winch", partial(tether_use.winch_energy, sign=-1.0)
    ),
    Metric("min_dist_m", "smallest distance of a vehicle to obstacles", motion.clearance_min_of_both),
    Metric("min_dist_uav_m", "smallest distance of the UAV to obstacles", _of("uav", motion.clearance_min)),
    Metric("min_dist_ugv_m", "smallest distance of the UGV to obstacles", _of("ugv", motion.clearance_min)),
    Metric(
        "min_dist_tether_m",
        "smallest distance of the tether to ground and obstacles",
        tether_use.distance_min,
    ),
    Metric(
        "min_dist_vehicles_m",
        "smallest distance between UAV and UGV, centre to centre",
        motion.separation_min,
    ),
)

# Of an inspection.
WALL_METRICS = (
    Metric("walls", "walls of the inspection", walls.walls),
    Metric("walls_mapped", "walls mapped", walls.walls_mapped),
    Metric("wall_seen_m2", "area of the walls that pictures show", walls.area_seen),
    Metric("wall_seen_percent", "that, of the walls that were taken up", walls.seen_share),
    Metric("row_overlap_min_percent", "least overlap of a row and the next", walls.overlap_min),
    Metric("wall_hole_max_m2", "largest part of a wall that no picture shows", walls.hole_max),
    Metric("map_error_rms_m", "distance of maps to the rock, root mean square", walls.map_error),
    Metric("map_error_max_m", "that of the worst wall", walls.map_error_max),
)

# Of power through the tether.
POWER_METRICS = (
    Metric("energy_Wh", "energy drawn by the UAV", partial(power.energy, column="power_W")),
    Metric("energy_loss_Wh", "energy lost on the way to it", partial(power.energy, column="loss_W")),
    Metric("loss_share_percent", "lost on the way, of all that the battery gave", power.loss_share),
    Metric("power_max_W", "largest power drawn by the UAV", partial(power.most, column="power_W")),
    Metric(
        "power_share_max_percent",
        "largest power drawn, of the most that could be transferred then",
        power.power_share_max,
    ),
    Metric("voltage_min_V", "smallest voltage at the UAV", partial(power.least, column="voltage_V")),
    Metric("current_max_A", "largest current in the cable", partial(power.most, column="current_A")),
    Metric(
        "cable_temperature_max_C",
        "warmest the cable got where it is out",
        partial(power.most, column="cable_temperature_C"),
    ),
    Metric(
        "drum_temperature_max_C",
        "warmest the cable got on the drum",
        partial(power.most, column="drum_temperature_C"),
    ),
    Metric("battery_used_percent", "charge taken from the battery", power.battery_used),
)


def _tracking(name: str, word: str, unit: str) -> tuple[Metric, ...]:
    about = f"{word} to its reference"
    return (
        Metric(f"{name}_error_max_{unit}", f"{about}, largest", _of(name, canopy.error_max)),
        Metric(
            f"{name}_error_sigma_{unit}",
            f"{about}, standard deviation of the distance",
            _of(name, canopy.error_deviation),
        ),
        Metric(f"{name}_error_rms_{unit}", f"{about}, root mean square (E_a)", _of(name, canopy.error_rms)),
    )


# Of a robot in the canopy.
CANOPY_METRICS = (
    *_tracking("theta", "tether angle", "deg"),
    *_tracking("heading", "heading of the tether, where theta shall be 3 deg or more,", "deg"),
    *_tracking("length", "length paid out", "m"),
    Metric("tension_max_robot_N", "largest tension at the robot", canopy.tension_max),
    Metric("pitch_min_deg", "smallest pitch of the robot", canopy.pitch_min),
    Metric("pitch_max_deg", "largest pitch of the robot", canopy.pitch_max),
    Metric("shell_contacts", "how often the shell met something", canopy.shell_contacts),
    Metric("shell_force_max_N", "largest force on the shell", canopy.shell_force_max),
    Metric("thrust_impulse_N_s", "thrust of both propellers over time", canopy.thrust_impulse),
    Metric("thrust_energy_J", "least energy that such thrust takes", canopy.thrust_energy),
)

# Of a plan that a team carried out.
STEP_METRICS = (
    Metric("steps", "steps of the plan", steps.steps),
    Metric("steps_carried_out", "steps carried out", steps.carried_out),
    Metric("step_error_max_m", "where a step ended to where it should have, largest", steps.error_max),
    Metric("perch_max_N", "largest pull on the perch", steps.perch_max),
)
HUNG = "hung_from_"  # and the name of an object, _s: how long it hung from that
GOAL_ERROR = "goal_error_"  # and the name of a robot, _m
NAMED = {  # what metrics mean that begin so and go on with a name
    HUNG: "how long it hung from {}",
    GOAL_ERROR: "distance of {} from its goal in the end",
    **SCENE_NAMED,
}


def all_metrics(log: Log) -> dict[str, float]:
    """Every metric that the log can give, by name; the rest is left out."""
    if is_scene(log):
        return {"sim_time_s": motion.duration(log), **scene_metrics(log)} if log.duration else {}
    values = {}
    for metric in (*METRICS, *WALL_METRICS, *POWER_METRICS, *CANOPY_METRICS, *STEP_METRICS):
        try:
            values[metric.name] = metric.compute(log)
        except MissingError:
            continue
    try:
        hung = canopy.hanging_times(log)
    except MissingError:
        return values
    return values | {f"{HUNG}{name}_s": time for name, time in hung.items()}
