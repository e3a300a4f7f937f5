"""The loop of a run: every tick the references move, controllers speak at their rates, the plant advances."""

from __future__ import annotations

import math
import time as wall
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.failure_ring import FailureRing
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.messages import (
    Controller,
    UgvController,
    WinchRule,
)
from tetherlab.contracts.outcome import Outcome
from tetherlab.contracts.table import Table
from tetherlab.math.kernel import entry_point
from tetherlab.plant import model as P
from tetherlab.plant import watch as W
from tetherlab.plant.command import make_command
from tetherlab.plant.object_names import object_names
from tetherlab.sim.commander import PlantCommander
from tetherlab.sim.crew import Crew
from tetherlab.sim.mission import Mission, Phase, Plan
from tetherlab.sim.navigation import Believed, Navigator
from tetherlab.sim.observation import Observed
from tetherlab.sim.order import uav_order, ugv_order, winch_order
from tetherlab.sim.pilot import Pilot, Vehicle
from tetherlab.sim.plant_parts import plant_parts
from tetherlab.sim.power import warnings_of, why_lost
from tetherlab.sim.rows import Rows
from tetherlab.sim.speakers import NAMES, place_of_failure, rate_of
from tetherlab.sim.ticks import ROWS, TICKS, Clock, run_ticks
from tetherlab.vehicles.winch import LENGTH
from tetherlab.world.wind import Wind

Vector = NDArray[np.float64]
TICK_RATE = 100.0  # ticks per second, unless a controller is faster
PROGRESS_EVERY = 0.1  # [s] of the wall clock
TICKS_AT_ONCE = 50  # after so many a Ctrl-C is heard


class Loop:
    """A run that can be stepped, commanded and looked at while it goes on."""

    def __init__(
        self,
        plant: P.Plant,
        plan: Plan,
        *,
        uav_controller: Controller,
        ugv_controller: UgvController,
        winch_rule: WinchRule,
        navigator: Navigator | None = None,
        pilot: Pilot | None = None,
        commander: Callable[[Mission, Crew, Observed], Vehicle] = PlantCommander,
        wind: Wind,
        step: float,
        record_rate: float,
        duration_max: float,
        seed: int,
        objects: Sequence[str] = (),
    ) -> None:
        """objects: names of the obstacles, for sentences."""
        self.plant, self.seed, self.duration_max = plant, seed, duration_max
        self.objects = tuple(objects)
        self.wind = wind  # that the plant was built with, until `set_wind`
        speakers = (uav_controller, ugv_controller, winch_rule)
        rates = [rate_of(who, index) for index, who in enumerate(speakers)]
        looks = 0.0 if navigator is None else navigator.rate_hz
        self._clock = _clock(step, max(TICK_RATE, looks, *rates), record_rate)
        self.pilot = pilot  # None: the plan is flown
        self._pilot_every = 0 if pilot is None else _every("mission", pilot.rate_hz, self._clock.tick)
        self._row_every = self._clock.row_every
        every = [_every(name, rate, self._clock.tick) for name, rate in zip(NAMES, rates, strict=True)]
        self.state = Observed(plant)
        uav, ugv = self.state.uav, self.state.ugv
        self.mission = Mission(plan, uav.position, self.state.ugv_origin, uav.yaw, ugv.yaw)
        self.navigator = navigator  # None: everybody knows the truth
        self._believed = None if navigator is None else Believed(plant, navigator.attachment)
        flown_by = self._believed if navigator is not None and navigator.in_loop else None
        self._view = self.state if flown_by is None else flown_by
        self._crew = Crew(speakers, every, compiled=flown_by is None)
        self.commander = commander(self.mission, self._crew, self.state)
        if pilot is not None and not self.mission.armed:
            self.commander.dock()
        self._command = make_command(len(plant.rotorcraft), len(plant.rover), len(plant.winch))
        self._rows = self._empty_rows()
        self._count = np.zeros(2, np.int64)  # of ticks and rows so far
        self.events: list[Event] = []
        self.outcome: Outcome | None = None
        self.outcome_sentence = ""
        self._compiled: Callable[..., int] | None = None
        mission = self.mission
        self._ring = FailureRing(
            dict(plant_parts(plant)), (*self._command, mission.paths.together, mission.goal, mission.near)
        )
        self.on_failure: Callable[[], str] | None = None  # writes what led to it, and says where

    @property
    def time(self) -> float:
        """[s]."""
        return float(self.plant.clock["time"][0])

    @property
    def tick(self) -> float:
        """Time that a step takes [s]."""
        return self._clock.tick

    @property
    def length_wanted(self) -> float:
        """That the winch is to pay out [m]; NaN while it keeps a tension or a speed."""
        reel = self._command.reel[0]
        return float(reel["wanted"]) if reel["mode"] == LENGTH else math.nan

    def step(self) -> bool:
        """One tick; whether the run goes on."""
        return self._go_on(self.time)

    def _go_on(self, until: float) -> bool:
        """A tick, and more, but not beyond a time [s], if nothing is to decide; whether the run goes on."""
        if self.outcome is not None:
            return False
        time, tick, state, mission = self.time, self._clock.tick, self._view, self.mission
        self._look()
        if self.pilot is not None and self._count[TICKS] % self._pilot_every == 0:
            said = self.pilot.step(self.plant, self.state, self.commander)
            self.events += [Event(time, "fault", sentence) for sentence in self.pilot.senses.begun()]
            self.events += [Event(time, "mission", sentence) for sentence in said]
        # Whether it stands on the deck, it feels.
        uav = self.state.uav if mission.phase is Phase.LAND else state.uav
        happened = mission.advance(time, tick, uav.position, state.ugv_origin, state.deck)
        if happened:
            self.events.append(Event(time, "mission", happened))
        self._command.flight["armed"] = int(mission.armed)
        try:
            self._crew.listen(int(self._count[TICKS]), mission, state, self._command)
        except Exception as error:  # a user's code: the run ends, its data stay
            who = self._crew.speaking
            where = place_of_failure(error, self._crew.speakers[who])
            self._finish(
                Outcome.CONTROLLER_FAILED,
                f"the {NAMES[who]} failed at {where}: {type(error).__name__}: {error}",
            )
            return False
        code = self._advance(self._ticks_alone(min(until, self.duration_max) - time))
        if len(self.plant.supply):
            self._watch_power()
        if code != W.FLYING:
            outcome, details = _ending(code, self.plant, self.objects)
            if outcome is Outcome.DIVERGED and self.on_failure is not None:
                details = f"{details}; {self.on_failure()}"
            self._finish(outcome, details)
        elif self.pilot is not None and self.pilot.autonomy.done:
            completed, sentence = self.pilot.autonomy.ending
            self._finish(Outcome.COMPLETED if completed else Outcome.BROKEN_OFF, sentence)
        elif mission.done:
            self._finish(Outcome.COMPLETED, f"all {len(mission.plan.targets)} targets were reached")
        elif self.time >= self.duration_max - 1e-9:
            self._finish(Outcome.TIMED_OUT, f"{self._so_far()} in {self.duration_max:g} s")
        if self.outcome is not None and self.recording and (self._count[TICKS] - 1) % self._row_every != 0:
            self._advance(0)  # the moment of the end belongs to the record
        return self.outcome is None

    def run(self, until: float | None = None, progress: Callable[[float, str], None] | None = None) -> None:
        """Go on until the end, or until a time [s]; Ctrl-C stops and keeps what there is.

        progress: called now and then with the share that is done and a line of text.
        """
        shown = wall.monotonic()
        stop = (math.inf if until is None else check.number("until", until)) - 0.5 * self._clock.tick
        if stop < self.time - self._clock.tick:
            raise InputError(f"until is {until:g} s, but it is {self.time:g} s already")
        try:
            while self.time < stop and self._go_on(stop):
                if progress is not None and wall.monotonic() - shown > PROGRESS_EVERY:
                    shown = wall.monotonic()
                    progress(*self._progress())
        except KeyboardInterrupt:
            self._finish(Outcome.STOPPED, "Ctrl-C")
        if progress is not None:
            progress(*self._progress())

    def command(
        self,
        *,
        uav: Any = None,
        ugv: Any = None,
        uav_velocity: Any = None,
        ugv_velocity: Any = None,
        length: float | None = None,
        tension: float | None = None,
    ) -> None:
        """Tell the team something while running; vehicles leave the plan, who is told nothing stays as it is.

        uav (3,), ugv (2,): go to a place [m]. uav_velocity (3,), ugv_velocity (2,): go at a velocity until
        the next command [m/s], at most as fast as the mission. length [m], tension [N]: what the winch keeps
        in place of its rule, until `follow_rule`.
        """
        self._must_go_on()
        mission, plan = self.mission, self.mission.plan
        # All is checked before anything is done.
        flight = uav_order(uav, uav_velocity, plan.uav_speed)
        drive = ugv_order(ugv, ugv_velocity, plan.ugv_speed, mission.ugv.position[2])
        reel = winch_order(length, tension, self.state.length_total)
        if flight is not None and not mission.armed:
            raise InputError("the drone stands on the deck with its rotors off: let it take off first")
        if flight is not None or drive is not None or reel is None:
            mission.leave_plan(self.time)
        said = []
        for name, order, point in (("drone", flight, mission.uav), ("rover", drive, mission.ugv)):
            if order is not None:
                order.give(point)
                said.append(f"{name} {order}")
        if reel is not None:
            self._crew.take_winch(reel)
            said.append(f"tether {length:g} m" if length is not None else f"tether at {tension:g} N")
        self.events.append(Event(self.time, "command", ", ".join(said) or "the plan is left"))

    def follow_rule(self) -> None:
        """The winch goes by its rule again."""
        self._must_go_on()
        self._crew.take_winch(None)
        self.events.append(Event(self.time, "command", "the winch follows its rule"))

    @property
    def recording(self) -> bool:
        """Whether rows are written."""
        return self._clock.row_every > 0

    def start_recording(self) -> None:
        """Record from now on; what was recorded before is forgotten."""
        self._rows, self._count[ROWS] = self._empty_rows(), 0
        self._clock = self._clock._replace(row_every=self._row_every)

    def stop_recording(self) -> None:
        """Let time go on without a record; what was recorded stays."""
        self._clock = self._clock._replace(row_every=0)

    def wait(self) -> None:
        """Before it starts: nothing is planned, and the drone stands on the deck until `take_off`."""
        self.mission.leave_plan(self.time)
        self.mission.armed = False

    def set_wind(self, wind: Wind) -> None:
        """Another wind from now on."""
        self.wind, self.plant = wind, self.plant._replace(wind=wind.field)
        self._ring.clear()
        self.events.append(Event(self.time, "command", f"wind {np.round(wind.velocity, 2).tolist()} m/s"))

    def hold(self) -> None:
        """Both vehicles come to rest and stay there; the plan is left."""
        self._must_go_on()
        self.mission.leave_plan(self.time)
        self.mission.hold()
        self.events.append(Event(self.time, "command", "hold"))

    def take_off(self) -> None:
        """The drone climbs straight up by the mission's take-off height, or 1 m; the plan is left."""
        self._must_go_on()
        if not self.mission.armed:
            self._crew.forget_flight()  # what it learned in the last one is over
        self.mission.leave_plan(self.time)
        self.mission.take_off()
        self.events.append(Event(self.time, "command", "take off"))

    def land(self) -> None:
        """The drone returns to the deck and stops its rotors; the rover waits for it; the plan is left.

        A command or `hold` meanwhile ends it.
        """
        self._must_go_on()
        if not self.mission.armed:
            raise InputError("the drone has landed already")
        self.mission.leave_plan(self.time)
        self.mission.land(self.time)
        self.events.append(Event(self.time, "command", "land"))

    @property
    def log(self) -> Log:
        """The record so far."""
        plan, mission = self.mission.plan, self.mission
        begun = np.isfinite(mission.began)
        n = int(begun.sum())
        names = ("time_s", "index", "uav_x_m", "uav_y_m", "uav_z_m", "ugv_x_m", "ugv_y_m", "ugv_z_m",
                 "length_m", "reached_s")  # fmt: skip
        rows = np.column_stack([mission.began[:n], np.arange(n), plan.targets[:n], mission.reached[:n]])
        tables = {**self._rows.tables(int(self._count[ROWS])), "targets": Table.from_rows(names, rows)}
        for observer in (self.navigator, self.pilot):
            if observer is not None:
                tables |= observer.tables()
        return Log(tables, self.outcome, self.outcome_sentence, list(self.events))

    def _look(self) -> None:
        """Sense and believe; a fault ends the plan if the scenario says so."""
        if self.navigator is None or self._believed is None:
            return
        mission = self.mission
        waits = mission.phase is Phase.TAKE_OFF and not mission.since
        trouble = self.navigator.look(
            self.plant, self.state, self._believed, at_rest=waits or not mission.armed
        )
        for sentence in self.navigator.suite.begun():
            self.events.append(Event(self.time, "fault", sentence))
        if not self.navigator.in_loop:
            return
        if not trouble or waits or not mission.armed:
            return
        self.events.append(Event(self.time, "localisation", trouble))
        if self.navigator.on_fault != "continue" and self.mission.phase not in (Phase.MANUAL, Phase.DONE):
            self.mission.leave_plan(self.time)
            lands = self.navigator.on_fault == "land"
            if lands:
                self.mission.land(self.time)
            self.events.append(
                Event(self.time, "mission", "comes home to land" if lands else "holds its place")
            )

    def _ticks_alone(self, left: float) -> int:
        """Until Python has something to decide, if so much time is left [s]; at least 1."""
        alone = self._crew.ticks_alone(int(self._count[TICKS]))
        if self.navigator is not None:
            return 1
        if self.pilot is not None:
            alone = min(alone, self._pilot_every - int(self._count[TICKS]) % self._pilot_every)
        elif self.mission.phase is not Phase.TARGETS:
            return 1
        if alone == 1:
            return 1
        most = min(alone, TICKS_AT_ONCE)
        return max(1, math.ceil(min(left / self._clock.tick, most) - 1e-6))

    def _advance(self, ticks: int) -> int:
        """So many ticks, or fewer if the target is reached meanwhile; why the run ends, or 0."""
        mission, laws = self.mission, self._crew.laws()
        if ticks > 0:
            self._ring.before(self.time, (ticks, self._clock.row_every, *self._count.tolist()), laws)
        arguments = (
            self.plant, laws, self._command, mission.paths, mission.goal, mission.near,
            self._clock, self._count, *self._rows.chunk(int(self._count[ROWS])), ticks,
        )  # fmt: skip
        if self._compiled is None:
            code = int(run_ticks(*arguments))
            self._compiled = entry_point(run_ticks, arguments)
            return code
        return int(self._compiled(*arguments))

    def _empty_rows(self) -> Rows:
        present = {"platform": bool(self.plant.platform["present"][0]), "power": len(self.plant.supply) > 0}
        return Rows(tuple(name for name, there in present.items() if there))

    def _watch_power(self) -> None:
        """Say once what a supply comes to."""
        for sentence in warnings_of(self.plant.supply[0]):
            if not any(event.sentence == sentence for event in self.events):
                self.events.append(Event(self.time, "power", sentence))

    def _must_go_on(self) -> None:
        """Nobody listens to a command after the end."""
        if self.outcome is not None:
            raise InputError(f"the run has ended, nothing can be commanded any more. {self.outcome_sentence}")

    def _finish(self, outcome: Outcome, details: str) -> None:
        self.outcome = outcome
        self.outcome_sentence = f"After {self.time:.2f} s {outcome.value}: {details}."
        self.events.append(Event(self.time, "outcome", self.outcome_sentence))

    def _so_far(self) -> str:
        """What was done of the mission, a sentence."""
        if self.pilot is not None:
            return self.pilot.autonomy.ending[1]
        reached, count = int(np.isfinite(self.mission.reached).sum()), len(self.mission.plan.targets)
        return f"{reached} of {count} targets were reached"

    def _progress(self) -> tuple[float, str]:
        if self.pilot is not None:
            done, doing = self.pilot.autonomy.progress
            return done, f"{self.time:.0f} s, {doing}"
        plan, mission = self.mission.plan, self.mission
        reached = int(np.isfinite(mission.reached).sum())
        share = 1.0 if mission.phase == Phase.DONE else reached / max(len(plan.targets), 1)
        return share, f"{self.time:.0f} s, {reached} of {len(plan.targets)} targets"


def _clock(step: float, rate: float, record_rate: float) -> Clock:
    """A tick of a whole number of steps, each at most as long as wanted [s]."""
    tick = 1.0 / rate
    steps = max(1, math.ceil(tick / step - 1e-9))
    return Clock(tick, steps, tick / steps, _every("record_hz", record_rate, tick))


def _every(name: str, rate: float, tick: float) -> int:
    """Ticks between two calls."""
    count = 1.0 / (rate * tick)
    if count < 1.0 - 1e-9 or abs(count - round(count)) > 1e-6:
        raise InputError(f"{name}: {rate:g} Hz must divide the clock's {1.0 / tick:g} Hz evenly")
    return round(count)


def _ending(code: int, plant: P.Plant, objects: Sequence[str]) -> tuple[Outcome, str]:
    """Outcome and its details."""
    line, total = plant.line[0], plant.winch["length_total"][0]
    drone = int(plant.scratch["body"][0]) == int(plant.rotorcraft["body"][0])
    if code == W.POWER_LOST:
        return Outcome.POWER_LOST, why_lost(plant.supply[0])
    return {
        W.DIVERGED: (Outcome.DIVERGED, "the smallest step did not converge"),
        W.COLLISION: (
            Outcome.COLLISION,
            f"the {'drone' if drone else 'rover'}'s hull is {_hit(plant, objects)}",
        ),
        W.OVERLOAD: (
            Outcome.TETHER_OVERLOAD,
            f"{line['tension_peak']:.0f} N, its strength is {line['strength']:.0f} N",
        ),
        W.TANGLED_ROTOR: (Outcome.TANGLED, f"it is within {1000 * line['rotor_gap']:.0f} mm of a rotor"),
        W.TANGLED_TURNS: (Outcome.TANGLED, f"more than {W.TURNS_MAX} turns round one object"),
        W.TOO_SHORT: (
            Outcome.TETHER_TOO_SHORT,
            f"all {total:.2f} m are out and taut, the drone is {line['distance']:.2f} m away",
        ),
    }[code]


def _hit(plant: P.Plant, objects: Sequence[str]) -> str:
    """How deep a hull is inside what it hit."""
    hit = plant.scratch[0]
    who = int(hit["hit_object"])
    if who < len(objects):
        what = f"the obstacle {objects[who]!r}"
    else:
        what = object_names(plant, objects)[who] or "an obstacle"
    return f"{float(hit['hit_depth']):.3f} m inside {what}"
