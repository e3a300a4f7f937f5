"""From the section `inspection` of a scenario to a mission and the sensors that it flies by."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tetherlab.contracts.extras import require
from tetherlab.estimation.home import HomeFilter, HomeSpec
from tetherlab.estimation.sensing import Sensing
from tetherlab.mapping import MapSpec
from tetherlab.missions.approach import Approach
from tetherlab.missions.come_down import ComeDown
from tetherlab.missions.guards import Limits, Needs
from tetherlab.missions.inspection import ABORT, LAND, NEEDED, Inspection, Stop, inspection_machine
from tetherlab.missions.landing import Landing, LandingSettings
from tetherlab.missions.landing_field import FieldLanding
from tetherlab.missions.landing_switched import SwitchedLanding, SwitchedSettings
from tetherlab.missions.map_wall import FollowSpec, MapWall
from tetherlab.missions.sweep import SweepSpec
from tetherlab.missions.tasks import Drive, TakeOff
from tetherlab.scenario.inspection import InspectionSection
from tetherlab.scenario.inspection_map import WallMapper
from tetherlab.scenario.inspection_record import WallRecord
from tetherlab.scenario.robots import Quadrotor
from tetherlab.scenario.scenario import Scenario
from tetherlab.sensors.depth_camera import DepthCameraSpec
from tetherlab.sensors.inspection_suite import InspectionSpec, InspectionSuite, tension
from tetherlab.sensors.range_finder import RangeFinderSpec
from tetherlab.sim.pilot import Pilot
from tetherlab.sim.senses import InspectionSenses

BEYOND = 1.5  # limit of the tension that its sensor must still tell apart
NEARLY = 0.01  # above the deck the rotors may stop [m]
CLEAR, CLEAR_HOME = 0.2, 0.5  # of the ceiling's guard that rows, and the way home, are kept [m]
SLACK = 0.75  # of the tension while it flies: below that the winch is behind, and the drone waits
MAPPED_FROM = 1.5  # distance of a wall that `MapSpec` is made for [m]
ANGLE_BIAS = 0.02  # that calibration leaves of the tether's angles; assumed [rad]


def build_pilot(scenario: Scenario) -> Pilot | None:
    """Who flies the drone by its sensors; None: the mission's targets are flown."""
    chosen = scenario.inspection
    if chosen is None:
        return None
    return Pilot(build_inspection(scenario, chosen), build_senses(scenario, chosen))


def build_senses(scenario: Scenario, chosen: InspectionSection) -> InspectionSenses:
    """The sensors that a mission flies by, with their faults."""
    suite = InspectionSuite(inspection_sensors(chosen), scenario.seed)
    for fault in chosen.faults:
        suite.inject(fault.sensor, fault.fault)
    return InspectionSenses(
        suite,
        HomeFilter(HomeSpec(tether_weight=_tether_weight(scenario))),
        attachment=np.array(scenario.uav.robot.attachment),
        light=scenario.world.illuminance,
        spotlights=chosen.spotlights,
    )


def inspection_sensors(chosen: InspectionSection) -> InspectionSpec:
    """What is on board and at the base."""
    camera, arm = chosen.depth_camera, tension()
    return InspectionSpec(
        depth_camera=DepthCameraSpec(rows=camera.rows, columns=camera.columns, rate_hz=camera.rate),
        # One that ended at the limit could not say that it is exceeded.
        tension=replace(arm, tension_max=max(arm.tension_max, BEYOND * chosen.limits.tension_max)),
    )


def record_walls(scenario: Scenario, pilot: Pilot | None) -> WallRecord | None:
    """Who keeps the book of the walls; None if the run is no inspection."""
    if pilot is None or not isinstance(pilot.autonomy, Inspection):
        return None
    assert isinstance(pilot.senses, InspectionSenses)
    camera = pilot.senses.suite.spec.depth_camera
    assert camera is not None
    record = WallRecord(pilot.autonomy, np.array(camera.position), scenario.world.mine)
    pilot.watchers.append(record)
    return record


def map_walls(scenario: Scenario, pilot: Pilot | None, tell: Callable[[str], None]) -> WallMapper | None:
    """Who maps the walls; None if nobody shall. tell: gets a sentence of each map."""
    chosen = scenario.inspection
    if pilot is None or chosen is None or not chosen.map:
        return None
    require("mapping")
    assert isinstance(pilot.autonomy, Inspection) and isinstance(pilot.senses, InspectionSenses)
    world, camera = scenario.world, pilot.senses.suite.spec.depth_camera
    assert camera is not None
    usual, far = MapSpec(), chosen.sweep.distance / MAPPED_FROM
    mapper = WallMapper(
        mission=pilot.autonomy,
        suite=pilot.senses.suite,
        tether=Sensing(
            linear_density=scenario.tether.linear_density, gravity=world.gravity, angle_bias=ANGLE_BIAS
        ),
        spec=replace(
            usual,
            camera=camera.position,
            range_max=far * usual.range_max,
            seen_again=far * usual.seen_again,
        ),
        faces={} if world.mine is None else {f"{f.pillar} {f.side}": f for f in world.mine.faces},
        distance=world.distance,
        tell=tell,
    )
    pilot.watchers.append(mapper)
    return mapper


def build_inspection(scenario: Scenario, chosen: InspectionSection) -> Inspection:
    """The mission alone."""
    sweep = SweepSpec(**{name: getattr(chosen.sweep, name) for name in type(chosen.sweep).model_fields})
    limits = Limits(
        length_total=scenario.tether.length,
        landing_speed=chosen.landing.speed,
        **{name: getattr(chosen.limits, name) for name in type(chosen.limits).model_fields},
    )
    needs = Needs(*NEEDED)
    machine = inspection_machine(
        drive=Drive(route=np.zeros((1, 2)), tension=chosen.flight_tension),
        take_off=TakeOff(
            height=chosen.take_off_height,
            tension=chosen.flight_tension,
            unready=lambda readings: needs(readings) or limits.power(readings),
        ),
        approach=Approach(distance=sweep.distance, speed=scenario.mission.uav_speed),
        map_wall=MapWall(
            sweep=sweep,
            follow=FollowSpec(
                headroom_min=chosen.limits.headroom_min + CLEAR, tension_low=SLACK * chosen.flight_tension
            ),
            frame_rate=chosen.depth_camera.rate,
            wall_height=chosen.wall_height,
        ),
        land=build_landing(scenario, chosen, LAND),
        abort=build_landing(scenario, chosen, ABORT),
        come_down=ComeDown(
            LandingSettings(
                speed=chosen.landing.speed,
                tension=chosen.landing.tension,
                headroom_min=chosen.limits.headroom_min + CLEAR_HOME,
            )
        ),
        limits=limits,
    )
    return Inspection(machine, inspection_stops(scenario, chosen), rate_hz=chosen.rate)


def build_landing(scenario: Scenario, chosen: InspectionSection, name: str = LAND) -> Landing:
    """Home along the tether, by the law that was chosen."""
    settings: dict[str, Any] = {
        "speed": chosen.landing.speed,
        "tension": chosen.landing.tension,
        "headroom_min": chosen.limits.headroom_min + CLEAR_HOME,
        "landed_height": landed_height(scenario.uav.robot),
        "tether_weight": _tether_weight(scenario),
    }
    landing: Landing
    if chosen.landing.law == "switched":
        landing = SwitchedLanding(SwitchedSettings(length_max=scenario.tether.length, **settings))
    else:
        landing = FieldLanding(LandingSettings(**settings))
    landing.name = name
    return landing


def landed_height(robot: Quadrotor) -> float:
    """Of the altimeter, below which the drone stands, or nearly so [m]."""
    altimeter = RangeFinderSpec()
    above = robot.attachment[2] + altimeter.position[2]  # its own height, from the drone's centre
    stands = above - min(foot[2] for foot in robot.feet) + robot.foot_radius
    return max(stands, altimeter.range[0]) + NEARLY


def _tether_weight(scenario: Scenario) -> float:
    """Per length [N/m]."""
    return scenario.tether.linear_density * scenario.world.gravity


def inspection_stops(scenario: Scenario, chosen: InspectionSection) -> list[Stop]:
    """Those that are written, or the faces of the mine in the order of its route."""
    start = scenario.uav.yaw  # the frame of the odometry is turned by it
    if chosen.stops:
        return [
            Stop(stop.name, np.array(stop.route, float), stop.wall_heading - start) for stop in chosen.stops
        ]
    mine = scenario.world.mine
    assert mine is not None  # was checked with the scenario
    stops, way = [], []
    for waypoint in mine.route(chosen.stand_off):
        way.append(waypoint.position[:2])
        face = waypoint.face
        if face is None:
            continue
        name = f"{face.pillar} {face.side}"
        if not chosen.faces or name in chosen.faces:
            heading = math.atan2(-face.normal[1], -face.normal[0])
            stops.append(Stop(name, np.array(way), heading - start))
            way = []
    return stops
