"""What the tables of a run hold: the name of every column, with its unit at the end.

Positions, velocities, accelerations and forces are in the world frame, body rates in the body frame.
"""

STATION_COUNT = 41  # points of the tether, equally spaced in arc length from the winch
STATIONS = tuple(f"{index:02d}" for index in range(STATION_COUNT))

POSITION = ("x_m", "y_m", "z_m")
VELOCITY = ("vx_m_per_s", "vy_m_per_s", "vz_m_per_s")
TARGET = ("target_x_m", "target_y_m", "target_z_m")  # where the vehicle should be now
TETHER_FORCE = ("tether_x_N", "tether_y_N", "tether_z_N")  # of the tether on the vehicle
STATION_POSITIONS = tuple(f"{axis}_{station}_m" for station in STATIONS for axis in "xyz")
STATION_TENSIONS = tuple(f"tension_{station}_N" for station in STATIONS)

_MOTION = (
    "time_s",
    *POSITION,
    *("qw", "qx", "qy", "qz"),  # body to world
    *VELOCITY,
    *("wx_rad_per_s", "wy_rad_per_s", "wz_rad_per_s"),  # body rates
    *("ax_m_per_s2", "ay_m_per_s2", "az_m_per_s2"),
)

COLUMNS: dict[str, tuple[str, ...]] = {
    "uav": (
        *_MOTION,
        "thrust_N",  # sum of the rotors
        *TETHER_FORCE,
        "clearance_m",  # of the hull to the world
        *TARGET,
    ),
    "ugv": (*_MOTION, *TETHER_FORCE, "clearance_m", *TARGET),
    "winch": (
        "time_s",
        "length_m",  # paid out, unstretched
        "length_reference_m",
        "reel_speed_m_per_s",  # > 0 pays out
        "tension_N",  # at the exit
        "distance_m",  # from the exit to the drone's attachment
        "motor_torque_N_m",
        "power_W",  # > 0 is drawn by the motor
        "drum_radius_m",
        "rate_limited",  # 1 where the reference moved faster than the winch can
    ),
    "platform": (  # of a rover that keeps its deck level
        "time_s",
        *("roll_rad", "pitch_rad"),  # of the deck in the world
        *("roll_on_ugv_rad", "pitch_on_ugv_rad"),
        *("roll_seen_rad", "pitch_seen_rad"),  # in the world, by its accelerometer
        *("stroke_a_m", "stroke_b_m"),  # of the actuators
        *("force_a_N", "force_b_N"),  # with which they push
        "limited",  # 1 where a stroke, speed or force was at its limit
    ),
    "tether": ("time_s", *STATION_POSITIONS, *STATION_TENSIONS),
    "targets": (
        "time_s",  # when it became the target
        "index",
        *("uav_x_m", "uav_y_m", "uav_z_m"),
        *("ugv_x_m", "ugv_y_m", "ugv_z_m"),
        "length_m",  # NaN if the mission gives none
        "reached_s",  # NaN if never
    ),
    "power": (
        "time_s",
        "power_W",  # that the drone draws: rotors and all else on board
        "power_max_W",  # that could be transferred
        "voltage_V",  # at the drone's end of the cable
        "current_A",  # in the cable
        "loss_W",  # from the cells of the battery to the drone
        "battery_voltage_V",  # at its terminals
        "battery_current_A",
        "battery_share",  # charge that is left
        "cable_temperature_C",  # of what is out
        "drum_temperature_C",  # of what lies on the drum
        "status",  # place in PowerStatus, 0: FINE
    ),
    "readings": (  # what a mission on board was told; NaN where a sensor said nothing
        "time_s",
        "height_m",  # above what is straight below
        "headroom_m",  # below what is straight above
        *(
            "tether_azimuth_rad",
            "tether_elevation_rad",
        ),  # of drone -> base, below the horizon
        "length_m",  # of tether that is out
        "tension_N",  # at the winch
        *("forward_m_per_s", "left_m_per_s", "up_m_per_s"),  # by odometry, level
        *POSITION,  # by odometry, in its own frame
        "yaw_rad",  # by odometry, in its own frame
        "picture_age_s",  # of the newest depth image
        "base_tilt_rad",  # of the platform against the horizon
    ),
    "walls": (  # of an inspection, one row for each that was taken up
        "time_s",  # when it was
        "index",
        "ended_s",  # NaN if it was not left before the end
        "mapped",  # 1, or 0 if it was left
        *("width_m", "height_m"),  # of a mine's face; these and the next three are NaN elsewhere
        "seen_share",  # of its cells that some picture shows
        "overlap_share",  # of a row and the next, the least
        "hole_m2",  # the largest part that no picture shows
        "map_rms_m",  # distance of its map's points to the rock, root mean square; NaN if there is no map
    ),
    "steps": (  # of a plan that a team carried out, one row for each that was ended
        "time_s",  # when it began
        "index",
        "ended_s",
        *("planned_x_m", "planned_z_m"),  # where it should end
        *("place_x_m", "place_z_m"),  # where it did
        *("length_planned_m", "length_m"),  # of tether that is out then; NaN if there is none
        "tension_max_N",  # at the winch, meanwhile
        "perch_max_N",  # on the perch
        "failed",  # 1, or 0
    ),
    "measurements": (  # NaN where a sensor said nothing
        "time_s",  # when the message came
        "stamp_s",  # when it was sensed; may be out of order
        "length_m",  # of tether that is out
        *("azimuth_base_rad", "elevation_base_rad"),  # of base -> end at the base, frame of the base
        *("azimuth_end_rad", "elevation_end_rad"),  # of base -> end at the drone, frame of the drone
        "tension_N",  # at the base
        *("base_qw", "base_qx", "base_qy", "base_qz"),  # base to world
        *("base_x_m", "base_y_m", "base_z_m"),  # where the tether leaves the base
        *("base_vx_m_per_s", "base_vy_m_per_s", "base_vz_m_per_s"),
        *("qw", "qx", "qy", "qz"),  # drone to world, as its autopilot believes
        *("fx_m_per_s2", "fy_m_per_s2", "fz_m_per_s2"),  # specific force, frame of the drone
        *("wx_rad_per_s", "wy_rad_per_s", "wz_rad_per_s"),  # frame of the drone
        "thrust_N",  # of the rotors along the drone's z axis
        "altitude_m",  # of the drone above the ground
        "reeled_m",  # of tether that is out, by the turns of the drum
        "saturated",  # sum of 2^k over the sensors k at the end of their range
    ),
    "estimates": (
        "time_s",  # when it was known
        "stamp_s",  # for when it holds
        *POSITION,  # where the tether is tied to the drone
        *VELOCITY,
        *("xx_m2", "xy_m2", "xz_m2", "yy_m2", "yz_m2", "zz_m2"),  # covariance of the position
        *("heading_rad", "heading_deviation_rad"),
        "status",  # place in EstimateStatus, 0: OK
        "faults",  # sum of 2^k over the sensors k that are not believed
    ),
}

# Of a robot that hangs in a canopy, in the table `robot`; the position is that of the point P, where its
# tether leaves it, and the angles are those of the free part of the tether, in the paper's words.
CANOPY_ROBOT = (
    "time_s",
    *POSITION,
    *("qw", "qx", "qy", "qz"),  # body (forward, left, up) to world
    *VELOCITY,
    *("wx_rad_per_s", "wy_rad_per_s", "wz_rad_per_s"),  # body rates
    *("theta_deg", "phi_deg", "heading_deg", "psi_deg"),
    "free_length_m",  # from the last contact of the tether, or its anchor, to P
    "length_m",  # paid out, unstretched
    "reel_speed_m_per_s",  # > 0 pays out
    *("thrust_left_N", "thrust_right_N"),
    "tension_N",  # at P
    "shell_contacts",  # how many of its spheres touch
    "shell_N",  # sum of what they are pressed with
    "hangs_from",  # number of the object that the tether touches last, -1: its anchor
)
CANOPY_REFERENCE = ("time_s", "theta_deg", "heading_deg", "length_m")
# What its own sensors and estimator make of it, in the table `believed`; angles as in `robot`.
CANOPY_BELIEVED = ("time_s", "theta_deg", "phi_deg", "heading_deg", "psi_deg", "free_length_m")

# What a log of real sensors may hold besides.
TRUTH = ("truth_x_m", "truth_y_m", "truth_z_m")  # where the tether is tied, by motion capture or the like
RAW = (
    *("base_azimuth_adc", "base_elevation_adc", "base_reference_adc"),
    *("drone_azimuth_adc", "drone_elevation_adc", "drone_reference_adc"),
    *("length_counts", "tension_adc"),
)
EXTRAS = {"measurements": (*TRUTH, *RAW)}


def readable(table: str) -> tuple[str, ...]:
    """The columns that are read from other people's files."""
    return (*COLUMNS[table], *EXTRAS.get(table, ()))


# How a name ends -> how people write the unit. What contains another stands before it.
UNITS = {
    "m_per_s2": "m/s²",
    "m_per_s": "m/s",
    "rad_per_s": "rad/s",
    "rad": "rad",
    "deg": "°",
    "N_m": "N m",
    "N_s": "N s",
    "percent": "%",
    "m2": "m²",
    "m": "m",
    "s": "s",
    "N": "N",
    "Wh": "Wh",
    "W": "W",
    "V": "V",
    "A": "A",
    "C": "°C",
    "J": "J",
}

# Units in which other people's files may be: what they become, and by which factor.
FOREIGN_UNITS = {
    "mm_per_s": ("m_per_s", 1e-3),
    "cm_per_s": ("m_per_s", 1e-2),
    "deg_per_s": ("rad_per_s", 0.017453292519943295),
    "deg": ("rad", 0.017453292519943295),
    "mm": ("m", 1e-3),
    "cm": ("m", 1e-2),
    "ms": ("s", 1e-3),
    "us": ("s", 1e-6),
    "ns": ("s", 1e-9),
}


def unit_of(name: str) -> str:
    """The unit at the end of a name as people write it; empty if there is none."""
    return next((unit for ending, unit in UNITS.items() if name.endswith(f"_{ending}")), "")


def without_unit(name: str) -> str:
    """The name without the unit at its end."""
    ending = next((ending for ending in UNITS if name.endswith(f"_{ending}")), None)
    return name if ending is None else name.removesuffix(f"_{ending}")


def in_our_units(name: str) -> tuple[str, float]:
    """The column that a name with a foreign unit fills, and the factor: `x_mm` -> (`x_m`, 0.001)."""
    for ending, (ours, factor) in FOREIGN_UNITS.items():
        if name.endswith(f"_{ending}"):
            return name.removesuffix(ending) + ours, factor
    return name, 1.0
