"""A simulation that runs beside the clock on the wall, and does between two steps what people ask of it."""

from __future__ import annotations

import threading
import time as wall
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Event

TICK = 0.01  # of a simulation that tells none [s]
PICTURES = 25.0  # per second that are sent
ASKED_MAX = 200  # actions that wait for the next picture
BEHIND_MAX = 0.2  # of the wall clock: what is later than this is given up [s]

Action = Callable[[Any], None]


class LiveRun:
    """The simulation has one thread, and only that touches it."""

    def __init__(
        self, make: Callable[[], Any], show: Callable[[Any], None], name: str, first: Any = None
    ) -> None:
        """make: a fresh simulation. show: called in this run's thread when there is something to draw.

        name: of what runs. first: a fresh simulation that was made already.
        """
        self._make, self._show, self.name = make, show, name
        self._asked: dict[object, Action] = {}  # in the order in which they came
        self._asked_lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.simulation = self._prepared(make() if first is None else first)
        self.paused = False
        self.speed = 1.0  # times real time, wanted
        self.measured_speed = 0.0  # times real time, of the last second
        self.message = "ready"

    def _prepared(self, simulation: Any) -> Any:
        """A fresh simulation as it is to begin."""
        if hasattr(simulation, "stop_recording"):  # until someone asks for it: a page may stay open for days
            simulation.stop_recording()
        return simulation

    @property
    def tick(self) -> float:
        """Of a single step [s]."""
        simulation = self.simulation
        return float(getattr(simulation, "tick", 0.0) or getattr(simulation, "dt", TICK))

    @property
    def events(self) -> Sequence[Event]:
        """What happened so far."""
        return getattr(self.simulation, "events", ())

    @property
    def outcome(self) -> Any:
        """How it ended; None while it goes on, or if it has no end."""
        return getattr(self.simulation, "outcome", None)

    def start(self) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._run, name="flight", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, after the step that is under way."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(5.0)

    def ask(self, action: Action, replaces: object = None) -> None:
        """Do this between two steps; what cannot be done is said in `message`.

        replaces: a word for actions of which only the last one counts, as of a slider that is moved.
        """
        key = object() if replaces is None else replaces
        with self._asked_lock:
            self._asked.pop(key, None)
            full = len(self._asked) >= ASKED_MAX
            if not full:
                self._asked[key] = action
        if full:
            self.say("too many commands at once: some were ignored")

    def step_once(self) -> None:
        """One step, while it is paused."""
        self.paused = True

        def step(simulation: Any) -> None:
            if self.outcome is None:
                self._step()
            if self.outcome is not None:
                self.say(simulation.outcome_sentence)

        self.ask(step)

    def begin_again(
        self,
        begun: Callable[[], None],
        may_end: Callable[[Any], bool],
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """From the start; then `prepare` it, and call `begun`.

        may_end: called with the simulation so far; where it is false, that goes on.
        """

        def begin(simulation: Any) -> None:
            if not may_end(simulation):
                return
            self.simulation = self._prepared(self._make())
            self.say("ready")
            prepare()
            begun()

        self.ask(begin, replaces="reset")

    def say(self, sentence: str) -> None:
        """Tell those who watch."""
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
        except Exception:  # a page that cannot be drawn must not end the run
            traceback.print_exc()

    def _advance(self, seconds: float) -> None:
        if seconds <= 0.0 or self.outcome is not None:
            return
        said = len(self.events)
        try:
            self._go_until(self.simulation.time + seconds)
        except Exception as error:  # a step that does not converge, an own controller: reset begins again
            self.paused = True
            self.say(f"Paused: {self._told(error)}")
            return
        if self.outcome is not None:
            self.say(f"{self.simulation.outcome_sentence} Reset begins again.")
        elif len(self.events) > said:
            self.say(self.events[-1].sentence)

    def _go_until(self, end: float) -> None:
        """Go on until a time [s], or until it ends."""
        while self.simulation.time < end - 0.5 * self.tick and self._step():
            pass

    def _step(self) -> bool:
        """One step; whether there can be another one."""
        return bool(self.simulation.step())

    def _do_what_was_asked(self) -> None:
        with self._asked_lock:  # what comes meanwhile waits: the simulation must go on
            asked, self._asked = self._asked, {}
        for action in asked.values():
            try:
                action(self.simulation)
            except Exception as error:  # one mistake must not end the run of all who watch
                self.say(self._told(error))

    def _told(self, error: Exception) -> str:
        """What went wrong; what is no mistake of a user is on the terminal, too."""
        if isinstance(error, InputError):
            return str(error)
        traceback.print_exception(error)
        return f"this went wrong, see the terminal: {type(error).__name__}: {error}"
