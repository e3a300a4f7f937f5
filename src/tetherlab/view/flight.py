"""A simulation that runs beside the clock on the wall, and does between two ticks what people ask of it."""

from __future__ import annotations

import math
import threading
import time as wall
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.scenario.simulation import Simulation
from tetherlab.view.flown import Flown
from tetherlab.view.frame import NOTHING, Frame, Pose, Vector

PICTURES = 25.0  # per second that are sent
ASKED_MAX = 200  # actions that wait for the next picture
BEHIND_MAX = 0.2  # of the wall clock: what is later than this is given up [s]

Action = Callable[[Simulation], None]


class Flight:
    """The simulation has one thread, and only that touches it."""

    def __init__(self, make: Callable[[], Simulation], show: Callable[[Flight], None], name: str) -> None:
        """make: a fresh simulation. show: called in the flight's thread when there is something to draw.

        name: of what is flown.
        """
        self._make, self._show, self._name = make, show, name
        self._asked: dict[object, Action] = {}  # in the order in which they came
        self._asked_lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.simulation = self._fresh()
        self.paused = False
        self.speed = 1.0  # times real time, wanted
        self.measured_speed = 0.0  # times real time, of the last second
        self.message = "ready: take off, or fly the plan"
        self.flown = self._nothing_flown()
        self._wait_for_people()

    def _fresh(self) -> Simulation:
        simulation = self._make()
        simulation.stop_recording()  # until someone asks for it: a page may stay open for days
        simulation.duration_max, simulation.name = math.inf, self._name
        return simulation

    def _nothing_flown(self) -> Flown:
        return Flown(self.simulation.scenario, f"flown_{self._name}")

    def _wait_for_people(self) -> None:
        if self.simulation.scenario.uav.on_platform:
            self.simulation.wait()
        else:
            self.simulation.hold()

    def start(self) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._run, name="flight", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, after the tick that is under way."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(5.0)

    def ask(self, action: Action, replaces: str | None = None) -> None:
        """Do this between two ticks; what cannot be done is said in `message`.

        replaces: a word for actions of which only the last one counts, as of a slider that is moved.
        """
        key = object() if replaces is None else replaces
        with self._asked_lock:
            self._asked.pop(key, None)
            full = len(self._asked) >= ASKED_MAX
            if not full:
                self._asked[key] = action
        if full:
            self._say("too many commands at once: some were ignored")

    def step_once(self) -> None:
        """One tick, while it is paused."""
        self.paused = True
        self.ask(lambda simulation: None if simulation.step() else self._say(simulation.outcome_sentence))

    def reset(
        self, follow_plan: bool, begun: Callable[[], None], may_end: Callable[[Simulation], bool]
    ) -> None:
        """From the start again, by hand or by the plan of the scenario; then call `begun`.

        may_end: called with the flight so far; where it is false, that goes on.
        """

        def begin(simulation: Simulation) -> None:
            if not may_end(simulation):
                return
            self.simulation = self._fresh()
            self.flown = self._nothing_flown()
            if not follow_plan:
                self._wait_for_people()
            self._say("flies the plan" if follow_plan else "ready")
            begun()

        self.ask(begin, replaces="reset")

    def nudge(self, vehicle: str, by: Vector) -> None:
        """Move the target of 'uav' or 'ugv' by so much [m]; counted from where it is when this is done."""

        def move(simulation: Simulation) -> None:
            mission = simulation.mission
            if vehicle == "uav":
                simulation.command(uav=mission.uav.target + by)
            else:
                simulation.command(ugv=(mission.ugv.target + by)[:2])
            self.flown.go(simulation)
            self._say(simulation.events[-1].sentence)

        self.ask(move)

    def go(self, **order: Any) -> None:
        """Send the vehicles somewhere (see `Simulation.command`), and remember it as a waypoint."""

        def send(simulation: Simulation) -> None:
            simulation.command(**order)
            self.flown.go(simulation)
            self._say(simulation.events[-1].sentence)

        self.ask(send)

    def blow(self, velocity: Vector) -> None:
        """A wind of that velocity [m/s], (3,); gusts and growth with height stay as they are."""

        def change(simulation: Simulation) -> None:
            simulation.set_wind(replace(simulation.wind, velocity=tuple(map(float, velocity))))
            self._say(f"wind {float(np.linalg.norm(velocity)):.1f} m/s")
            self.flown.blow(velocity)

        self.ask(change, replaces="wind")

    def reel(self, length: float | None = None, tension: float | None = None) -> None:
        """Let the winch keep a length [m] or a tension [N], or follow its rule if neither is given."""

        def change(simulation: Simulation) -> None:
            if length is None and tension is None:
                simulation.follow_rule()
            else:
                simulation.command(length=length, tension=tension)
            self.flown.keep(length, simulation)
            self._say(simulation.events[-1].sentence)

        self.ask(change, replaces="winch")

    def take_off(self) -> None:
        """Climb."""

        def climb(simulation: Simulation) -> None:
            simulation.take_off()
            self.flown.take_off(simulation)
            self._say("takes off")

        self.ask(climb)

    def land(self) -> None:
        """Return to the deck."""

        def descend(simulation: Simulation) -> None:
            simulation.land()
            self.flown.land()
            self._say("returns to the deck")

        self.ask(descend)

    def hold(self) -> None:
        """Stay."""

        def stay(simulation: Simulation) -> None:
            simulation.hold()
            if simulation.mission.armed:
                self.flown.go(simulation)
            self._say("stays where it is")

        self.ask(stay)

    def frame(self) -> Frame:
        """What is seen now."""
        return frame_of(self.simulation)

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
            self._draw()
            wall.sleep(max(0.0, 1.0 / PICTURES - (wall.monotonic() - now)))

    def _draw(self) -> None:
        try:
            self._show(self)
        except Exception:  # nor must a page
            traceback.print_exc()

    def _advance(self, seconds: float) -> None:
        simulation = self.simulation
        if seconds <= 0.0 or simulation.outcome is not None:
            return
        end, said = simulation.time + seconds, len(simulation.events)
        while simulation.time < end - 0.5 * simulation.tick and simulation.step():
            pass
        if simulation.outcome is not None:
            self._say(f"{simulation.outcome_sentence} Reset begins again.")
        elif len(simulation.events) > said:
            self._say(simulation.events[-1].sentence)

    def _do_what_was_asked(self) -> None:
        with self._asked_lock:  # what comes meanwhile waits: the simulation must go on
            asked, self._asked = self._asked, {}
        for action in asked.values():
            try:
                action(self.simulation)
            except InputError as error:
                self._say(str(error))
            except Exception as error:  # one mistake must not end the flight of all who watch
                traceback.print_exc()
                self._say(f"this went wrong, see the terminal: {type(error).__name__}: {error}")


def frame_of(simulation: Simulation) -> Frame:
    """A simulation as it is drawn now."""
    state, mission = simulation.state, simulation.mission
    nodes, tension, contacts = state.tether
    return Frame(
        time=simulation.time,
        uav=Pose(state.uav.position.copy(), quaternion_from_matrix(state.uav.rotation)),
        ugv=Pose(state.ugv_origin.copy(), quaternion_from_matrix(state.ugv.rotation)),
        deck=state.deck_angles,
        tether=nodes,
        tension=tension,
        contacts=contacts if len(contacts) else NOTHING,
        uav_target=mission.uav.target.copy(),
        ugv_target=mission.ugv.target.copy(),
        length=state.length,
        turning=mission.armed,
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
        float(plant.part["clearance"][plant.rotorcraft["body"][0]]),
        float(plant.part["clearance"][plant.rover["body"][0]]),
    )
