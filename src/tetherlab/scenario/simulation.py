"""From a scenario to a run: this module knows everyone by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import naming
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.map_files import complete_map_files, relative_map_files
from tetherlab.control.drive import DriveController
from tetherlab.control.position import PositionController
from tetherlab.control.tension_control import TensionPD, TensionPID
from tetherlab.control.winch_rules import ConstantTension, FollowDistance, FromTrajectory
from tetherlab.metrics import all_metrics
from tetherlab.plant.build import build_plant
from tetherlab.scenario.document import checked_overrides
from tetherlab.scenario.failures import write_run_failure
from tetherlab.scenario.inspection_build import build_pilot, map_walls, record_walls
from tetherlab.scenario.line import WinchSection
from tetherlab.scenario.navigation import build_navigator
from tetherlab.scenario.plug_in import PlugIn, plugged
from tetherlab.scenario.power import power_spec
from tetherlab.scenario.problems import starting
from tetherlab.scenario.reach import planned_slack
from tetherlab.scenario.robots import GroundRobot, Quadrotor
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.surroundings import seeded_wind
from tetherlab.sim.checkpoint import read_checkpoint, restore, save_checkpoint
from tetherlab.sim.commander import PlantCommander
from tetherlab.sim.loop import TICK_RATE, Loop
from tetherlab.sim.mission import Plan
from tetherlab.sim.pilot import Pilot
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec, WinchSpec

RATES = ("uav.controller.rate_hz", "ugv.controller.rate_hz", "winch.rule.rate_hz")


class Simulation(Loop):
    """A scenario that runs: step it, command it, look at it, and get its log."""

    def __init__(
        self,
        scenario: Scenario | str | Path | Mapping[str, Any],
        overrides: Mapping[str, Any] | None = None,
        *,
        seed: int | None = None,
        controller: Any = None,
        winch_rule: Any = None,
        ugv_controller: Any = None,
        pilot: Pilot | None = None,
        commander: Any = PlantCommander,
    ) -> None:
        """scenario: a name, a file, its written form or a `Scenario`.

        controller (of the drone), winch_rule, ugv_controller, pilot (a mission on board): one's own.
        commander: what that mission commands, made of mission, crew and state.
        """
        changes = dict(checked_overrides(overrides))
        if seed is not None:
            changes["run.seed"] = seed
        if isinstance(scenario, Scenario):
            self.name = "run"
            if changes:
                scenario = Scenario.from_dict(scenario.to_dict(), changes)
        elif isinstance(scenario, Mapping):
            self.name = "run"
            scenario = Scenario.from_dict(scenario, changes)
        else:
            loaded = Scenario.load(scenario, changes)
            self.name, scenario = Path(scenario).stem, loaded
        self.scenario = scenario
        uav, ugv, tether = scenario.uav, scenario.ugv, scenario.tether
        quadrotor, rover = quadrotor_spec(uav.robot), rover_spec(ugv.robot)
        start = None if uav.on_platform else np.array(uav.start, float)
        wind = seeded_wind(scenario.world, scenario.seed)
        with starting():
            plant = build_plant(
                scenario.world,
                tether.spec,
                quadrotor,
                rover,
                winch_spec(scenario),
                length=tether.length,
                paid_out=tether.paid_out,
                element_length=tether.element_length,
                rover_position=np.array(ugv.start, float),
                rover_yaw=ugv.yaw,
                drone_position=start,
                drone_yaw=uav.yaw,
                wind=wind,
                step=scenario.run.step,
                power=power_spec(scenario),
                seed=scenario.seed,
            )
        flight = _air_controller(scenario) if controller is None else controller
        drive = _ground_controller(scenario) if ugv_controller is None else ugv_controller
        reel = _rule(scenario) if winch_rule is None else winch_rule
        own = {RATES[0]: controller, RATES[1]: ugv_controller, RATES[2]: winch_rule}
        _require_even_rates(scenario, (flight, drive, reel), own)
        super().__init__(
            plant,
            _plan(scenario),
            uav_controller=flight,
            ugv_controller=drive,
            winch_rule=reel,
            navigator=build_navigator(scenario),
            pilot=build_pilot(scenario) if pilot is None else pilot,
            commander=commander,
            wind=wind,
            step=scenario.run.step,
            record_rate=scenario.run.record,
            duration_max=scenario.run.duration_max,
            seed=scenario.run.seed,
            objects=scenario.world.names,
        )
        self.failure_folder: Path | None = None  # for what led to a failure; None: a temporary one
        self.on_failure = self._write_failure
        self._walls = record_walls(scenario, self.pilot)
        self.mapper = map_walls(
            scenario, self.pilot, lambda said: self.events.append(Event(self.time, "map", said))
        )

    def run(self, until: float | None = None, progress: Callable[[float, str], None] | None = None) -> None:
        """As `Loop.run`; a wall that is not mapped when the run ends is mapped then, unless Ctrl-C comes."""
        if self.mapper is not None and progress is not None:
            self.mapper.say = lambda text: progress(self._progress()[0], text)
        super().run(until, progress)
        if self.mapper is None or self.outcome is None:
            return
        try:
            self.mapper.finish()
        except KeyboardInterrupt:
            self.mapper.drop()
        if progress is not None:
            progress(*self._progress())

    def _write_failure(self) -> str:
        """Write what led to a failure now; what to tell about it."""
        return write_run_failure("marsupial", self, self._ring, self.failure_folder, self.wind)

    def checkpoint(self, path: str | Path) -> None:
        """Write the run as it is now to a file, from which `Simulation.resume` goes on with the same bits."""
        scenario = relative_map_files(self.scenario.to_dict(), Path(path).parent)
        save_checkpoint(self, path, {"name": self.name, "scenario": scenario})

    @classmethod
    def resume(
        cls, path: str | Path, *, controller: Any = None, winch_rule: Any = None, ugv_controller: Any = None
    ) -> Simulation:
        """The run of a checkpoint; whoever had a controller of their own gives it again."""
        head, arrays = read_checkpoint(path)
        with naming(path):
            simulation = cls(
                complete_map_files(head["extra"]["scenario"], Path(path).parent),
                controller=controller,
                winch_rule=winch_rule,
                ugv_controller=ugv_controller,
            )
        simulation.name = head["extra"]["name"]
        restore(simulation, head, arrays, path)
        return simulation

    @property
    def log(self) -> Log:
        """The record so far, with its metrics."""
        if self.mapper is not None and self.outcome is not None:
            self.mapper.finish()
        log = super().log
        log.name, log.scenario = self.name, self.scenario.to_dict()
        if self._walls is not None:
            log.tables["walls"] = self._walls.table({} if self.mapper is None else self.mapper.errors)
        if self.mapper is not None:
            log.maps = dict(self.mapper.maps)
        log.metrics = all_metrics(log)
        return log


def quadrotor_spec(robot: Quadrotor) -> QuadrotorSpec:
    """The drone of a scenario."""
    pilot = robot.autopilot
    feet = np.array([[*foot, robot.foot_radius] for foot in robot.feet])
    return QuadrotorSpec(
        mass=robot.mass,
        inertia=np.array(robot.inertia),
        attachment=np.array(robot.attachment),
        rotor_positions=np.array([rotor.position for rotor in robot.rotors]),
        rotor_directions=np.array([rotor.direction for rotor in robot.rotors], float),
        rotor_radius=robot.rotor_radius,
        thrust_coefficient=robot.rotor_thrust_coefficient,
        torque_coefficient=robot.rotor_torque_coefficient,
        speed_min=robot.rotor_speed_min,
        speed_max=robot.rotor_speed_max,
        time_constant=robot.rotor_time_constant,
        drag_linear=np.array(robot.drag_linear),
        drag_area=robot.drag_area,
        feet=feet,
        friction=robot.foot_friction,
        hull=np.array([[*sphere.center, sphere.radius] for sphere in robot.hull]),
        attitude_gain=pilot.attitude_gain,
        rate_gain=pilot.rate_gain,
        yaw_gain=pilot.yaw_gain,
        yaw_rate_gain=pilot.yaw_rate_gain,
        tilt_max=pilot.tilt_max,
    )


def rover_spec(robot: GroundRobot) -> RoverSpec:
    """The ground robot of a scenario."""
    deck, dish, chassis = robot.platform, robot.platform.depression, robot.chassis
    return RoverSpec(
        mass=robot.mass,
        inertia=np.array(robot.inertia),
        center_of_mass=np.array(robot.center_of_mass),
        wheel_positions=np.array(robot.wheels),
        wheel_radius=robot.wheel_radius,
        wheel_inertia=robot.wheel_inertia,
        wheel_speed_max=robot.wheel_speed_max,
        wheel_torque_max=robot.wheel_torque_max,
        steers=robot.drive == "four_wheel_steer",
        steering_angle_max=robot.steering_angle_max,
        steering_rate_max=robot.steering_rate_max,
        rolling_resistance=robot.rolling_resistance,
        friction=robot.tyre_friction,
        tyre_stiffness=robot.tyre_stiffness,
        hull=np.array([[*sphere.center, sphere.radius] for sphere in robot.hull]),
        deck_lower=np.array(deck.lower),
        deck_upper=np.array(deck.upper),
        deck_friction=deck.friction,
        depression=None if dish is None else np.array((dish.floor_radius, dish.rim_radius, dish.depth)),
        chassis_lower=None if chassis is None else np.array(chassis.lower),
        chassis_upper=None if chassis is None else np.array(chassis.upper),
        leveller=None if deck.levelling is None else deck.levelling.spec,
    )


def winch_spec(scenario: Scenario) -> WinchSpec:
    """The winch of a scenario."""
    return winch_hardware(scenario.winch, scenario.tether_exit)


def winch_hardware(winch: WinchSection, exit_point: tuple[float, float, float]) -> WinchSpec:
    """Drum, gear and motor; exit_point: where the tether leaves, in the frame of what carries it [m]."""
    return WinchSpec(
        exit=np.array(exit_point),
        drum_radius=winch.drum_radius,
        drum_width=winch.drum_width,
        drum_inertia=winch.drum_inertia,
        rotor_inertia=winch.motor_inertia,
        gear_ratio=winch.gear_ratio,
        torque_max=winch.motor_torque_max,
        motor_speed_max=winch.motor_speed_max,
        speed_max=winch.reel_speed_max,
        acceleration_max=winch.reel_acceleration_max,
        friction_torque=winch.friction_torque,
        encoder_counts=winch.encoder_counts_per_turn,
        length_gain=winch.control.length_gain,
        tension_gain=winch.control.tension_gain,
        tension_filter=winch.control.tension_filter,
    )


def _plan(scenario: Scenario) -> Plan:
    mission = scenario.mission
    lengths = [math.nan if target.length is None else target.length for target in mission.targets]
    targets = np.array(
        [[*target.uav, *target.ugv, length] for target, length in zip(mission.targets, lengths, strict=True)]
    ).reshape(-1, 7)
    return Plan(
        targets=targets,
        slack=planned_slack(scenario),
        take_off_height=mission.take_off_height if mission.take_off else None,
        land=mission.land,
        switch_uav=mission.switch_uav,
        switch_ugv=mission.switch_ugv,
        uav_speed=mission.uav_speed,
        uav_slow_down=mission.uav_slow_down,
        ugv_speed=mission.ugv_speed,
        hold_last=mission.hold_last,
    )


def _air_controller(scenario: Scenario) -> Any:
    chosen = scenario.uav.controller
    if isinstance(chosen, PlugIn):
        return plugged("tetherlab.controllers", chosen, scenario)
    return PositionController(
        mass=scenario.uav.robot.mass,
        gravity=scenario.world.gravity,
        linear_density=scenario.tether.linear_density,
        bandwidth=chosen.bandwidth,
        feed_forward=chosen.feed_forward,
        filter_time=chosen.filter_time,
        acceleration_max=chosen.acceleration_max,
        rate_hz=chosen.rate,
    )


def _ground_controller(scenario: Scenario) -> Any:
    chosen = scenario.ugv.controller
    if isinstance(chosen, PlugIn):
        return plugged("tetherlab.ground_controllers", chosen, scenario)
    return DriveController(
        holonomic=scenario.ugv.robot.drive == "four_wheel_steer",
        gain=chosen.gain,
        integral_gain=chosen.integral_gain,
        turn_gain=chosen.turn_gain,
        turn_max=chosen.turn_rate_max,
        speed_max=chosen.speed_max,
        stop_within=chosen.stop_within,
        rate_hz=chosen.rate,
    )


def _rule(scenario: Scenario) -> Any:
    rule = scenario.winch.rule
    if isinstance(rule, PlugIn):
        return plugged("tetherlab.winch_rules", rule, scenario)
    return winch_rule(rule, scenario.winch.reel_speed_max)


def winch_rule(rule: Any, speed_max: float) -> Any:
    """A packaged winch rule; speed_max: of the winch [m/s]."""
    if rule.type == "constant_tension":
        return ConstantTension(tension=rule.tension, rate_hz=rule.rate)
    if rule.type == "tension_pd":
        return TensionPD(
            tension=rule.tension,
            gain=rule.gain,
            rate_gain=rule.rate_gain,
            filter_time=rule.filter_time,
            rate_hz=rule.rate,
        )
    if rule.type == "tension_pid":
        return TensionPID(
            tension=rule.tension,
            gain=rule.gain,
            integral_gain=rule.integral_gain,
            rate_gain=rule.rate_gain,
            filter_time=rule.filter_time,
            speed_max=speed_max,
            rate_hz=rule.rate,
        )
    kind = FollowDistance if rule.type == "follow_distance" else FromTrajectory
    return kind(factor=rule.factor, margin=rule.margin, rate_hz=rule.rate)


def _require_even_rates(scenario: Scenario, speakers: tuple[Any, ...], own: Mapping[str, Any]) -> None:
    """Rows and the scenario's controllers come every so many ticks of a clock as fast as the fastest of them.

    own: by the key of the rate, what the user gave instead; the loop looks at that.
    """
    said = [getattr(speaker, "rate_hz", None) for speaker in speakers]
    clock = max(TICK_RATE, *(rate for rate in said if isinstance(rate, (int, float))), 0.0)
    numbers = [rate if isinstance(rate, (int, float)) and rate > 0 else None for rate in said]
    rates = {key: rate for key, rate in zip(RATES, numbers, strict=True) if rate and own[key] is None}
    for key, rate in {**rates, "run.record_hz": scenario.run.record}.items():
        ticks = clock / rate
        if abs(ticks - round(ticks)) > 1e-6 or ticks < 1.0 - 1e-9:
            near = {clock / max(1, math.floor(ticks)), clock / math.ceil(ticks)}
            told = " and ".join(f"{value:.9g}" for value in sorted(near))
            raise InputError(f"{key}: must divide the clock's {clock:g} Hz, got {rate:g}; near it: {told}")
