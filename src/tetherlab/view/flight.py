"""A simulation that runs beside the clock on the wall, and does between two ticks what people ask of it."""

from __future__ import annotations

import queue
import threading
import time as wall
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.scenario.simulation import Simulation
from tetherlab.scenario.trajectory import Waypoint, write_trajectory
from tetherlab.view.frame import NOTHING, Frame, Pose, Vector
from tetherlab.world.wind import Wind

PICTURES = 25.0  # per second that are sent
BEHIND_MAX = 0.2  # of the wall clock: what is later than this is given up [s]

Action = Callable[[Simulation], None]


class Flight:
    """The simulation has one thread, and only that touches it."""

    def __init__(self, make: Callable[[], Simulation], show: Callable[[Flight], None]) -> None:
        """make: a fresh simulation. show: called in the flight's thread when there is something to draw."""
        self._make, self._show = make, show
        self._asked: queue.SimpleQueue[Action] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.simulation = self._fresh()
        self.paused = False
        self.speed = 1.0  # times real time, wanted
        self.measured_speed = 0.0  # times real time, of the last second
        self.message = "ready: take off, or fly the plan"
        self.waypoints: list[Waypoint] = []
        self.simulation.wait()

    def _fresh(self) -> Simulation:
        simulation = self._make()
        simulation.recording = False  # until someone asks for it: a page may stay open for days
        return simulation

    def start(self) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._run, name="flight", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, after the tick that is under way."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(5.0)

    def ask(self, action: Action) -> None:
        """Do this between two ticks; what cannot be done is said in `message`."""
        self._asked.put(action)

    def step_once(self) -> None:
        """One tick, while it is paused."""
        self.paused = True
        self.ask(lambda simulation: None if simulation.step() else self._say(simulation.outcome_sentence))

    def reset(self, follow_plan: bool = False) -> None:
        """From the start again, by hand or by the plan of the scenario."""

        def begin(_: Simulation) -> None:
            self.simulation = self._fresh()
            self.waypoints = []
            if not follow_plan:
                self.simulation.wait()
            self._say("flies the plan" if follow_plan else "ready")

        self.ask(begin)

    def go(self, **order: Any) -> None:
        """Send the vehicles somewhere (see `Simulation.command`), and remember it as a waypoint."""

        def send(simulation: Simulation) -> None:
            simulation.command(**order)
            self._remember(simulation)
            self._say(simulation.events[-1].sentence)

        self.ask(send)

    def blow(self, velocity: Vector) -> None:
        """A wind of that velocity everywhere [m/s], (3,)."""
        self.ask(lambda simulation: simulation.set_wind(Wind.uniform(tuple(map(float, velocity)))))

    def save_trajectory(self, path: Path) -> Path:
        """What was asked by hand, as targets that a scenario can fly."""
        if not self.waypoints:
            raise InputError("there is nothing to save: send the drone or the rover somewhere first")
        write_trajectory(path, self.waypoints)
        return path

    def frame(self) -> Frame:
        """What is seen now."""
        return frame_of(self.simulation)

    def _remember(self, simulation: Simulation) -> None:
        mission = simulation.mission
        uav, ugv = (tuple(map(float, point.target)) for point in (mission.uav, mission.ugv))
        self.waypoints.append(Waypoint(uav, ugv, None))  # type: ignore[arg-type]

    def _say(self, sentence: str) -> None:
        self.message = sentence

    def _run(self) -> None:
        begun, done = wall.monotonic(), 0.0
        counted_from, counted = begun, 0.0
        while not self._stop.is_set():
            self._do_what_was_asked()
            now = wall.monotonic()
            wanted = 0.0 if self.paused else (now - begun) * self.speed
            begun, before = now, self.simulation.time
            self._advance(min(done + wanted, BEHIND_MAX * max(self.speed, 1.0)))
            passed = self.simulation.time - before
            done = 0.0 if self.paused else min(max(done + wanted - passed, -0.05), BEHIND_MAX)
            counted += passed
            if now - counted_from > 1.0:
                self.measured_speed = counted / (now - counted_from)
                counted_from, counted = now, 0.0
            self._show(self)
            wall.sleep(max(0.0, 1.0 / PICTURES - (wall.monotonic() - now)))

    def _advance(self, seconds: float) -> None:
        if seconds <= 0.0 or self.simulation.outcome is not None:
            return
        end = self.simulation.time + seconds
        tick = self.simulation.tick
        while self.simulation.time < end - 0.5 * tick:
            if not self.simulation.step():
                self._say(self.simulation.outcome_sentence)
                return

    def _do_what_was_asked(self) -> None:
        while True:
            try:
                action = self._asked.get_nowait()
            except queue.Empty:
                return
            try:
                action(self.simulation)
            except InputError as error:
                self._say(str(error))


def frame_of(simulation: Simulation) -> Frame:
    """A simulation as it is drawn now."""
    state, mission = simulation.state, simulation.mission
    nodes, tension, contacts = state.tether
    return Frame(
        time=simulation.time,
        uav=Pose(state.uav.position.copy(), quaternion_from_matrix(state.uav.rotation)),
        ugv=Pose(state.ugv_origin.copy(), quaternion_from_matrix(state.ugv.rotation)),
        tether=nodes,
        tension=tension,
        contacts=contacts if len(contacts) else NOTHING,
        uav_target=mission.uav.target.copy(),
        ugv_target=mission.ugv.target.copy(),
        length=state.length,
    )


def moment(simulation: Simulation) -> tuple[float, ...]:
    """The numbers of the charts, in their order (see charts.py)."""
    state, plant = simulation.state, simulation.plant
    return (
        state.length,
        simulation.length_wanted,
        float(np.linalg.norm(state.attachment - state.exit)),
        float(np.linalg.norm(state.ugv.tether_force)),
        float(np.linalg.norm(state.uav.tether_force)),
        float(np.linalg.norm(state.uav.velocity)),
        float(np.linalg.norm(state.ugv.velocity)),
        float(plant.winch["speed"][0]),
        float(plant.seen[1]),
        float(plant.seen[0]),
    )
