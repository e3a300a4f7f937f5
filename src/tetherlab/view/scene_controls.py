"""What people can do with a scene: a folder for each robot, winch, tether and hand, and handles to drag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.robots import Robot
from tetherlab.assembly.scene import Hand, Line
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.spec import QuadrotorSpec
from tetherlab.view.controls import Controls
from tetherlab.view.frame import Frame, Strand
from tetherlab.view.handles import Handles
from tetherlab.view.scene_run import SceneRun
from tetherlab.view.server import text_html
from tetherlab.view.wind_panel import WindPanel

if TYPE_CHECKING:
    from tetherlab.view.live_page import LivePage

Vector = NDArray[np.float64]
AIR_SPEED, GROUND_SPEED = 1.0, 0.5  # of the sliders [m/s]
REEL_SPEED = 0.3  # of a tether without a winch [m/s]
TENSION_MAX = 20.0  # of the slider of a winch [N]
LENGTH_LEAST = 0.2  # of the slider of a winch [m]
OPEN_FOLDERS = 4  # at first; the others are opened by a click
KEYS = {"take_off": "T", "land": "L", "hold": "H"}


class SceneControls(Controls):
    """The parts of a scene."""

    def __init__(self, page: LivePage) -> None:
        super().__init__(page)
        assert isinstance(page.flight, SceneRun)
        self._run: SceneRun = page.flight
        self.panels: dict[str, Panel] = {}
        self.handles = Handles(page.server.scene)
        scene = self._run.simulation.scene
        robots = [part for part in scene.parts.values() if isinstance(part, Robot)]
        hands = [part for part in scene.parts.values() if isinstance(part, Hand)]
        lines = sorted(scene.tethers.values(), key=lambda line: line.winch is None)
        self._parts: list[Any] = [*robots, *lines, *hands]

    def add_behind(self, gui: Any) -> None:
        """A folder for each part."""
        for part in self._parts:
            if (kind := _panel_of(part)) is not None:
                with gui.add_folder(part.name, expand_by_default=len(self.panels) < OPEN_FOLDERS):
                    self.panels[part.name] = kind(gui, self._run, part, self.handles)
        flyers = [panel for panel in self.panels.values() if isinstance(panel, DronePanel)]
        for word, key in KEYS.items() if flyers else ():
            command = gui.add_command(f"all drones: {word.replace('_', ' ')}", hotkey=key)
            command.on_trigger(lambda _, word=word: _tell_all(flyers, word))
        with gui.add_folder("Wind", expand_by_default=False):
            world = self._run.simulation.scene.world
            self.wind = WindPanel(self.page.server, world, self._middle, self._blow)

    def begun(self) -> None:
        """All controls are as they were at the start."""
        self.wind.begun()
        for panel in self.panels.values():
            panel.begun()

    def refresh(self, frame: Frame) -> None:
        """Readings, and handles where their parts are going."""
        for panel in self.panels.values():
            panel.refresh(frame)
        here = {name: frame.poses[name].position for name in self.handles.nodes}
        sent = {name: target for name in here if (target := self.panels[name].target) is not None}
        self.handles.aim(here | sent)

    def _middle(self) -> Vector:
        """Of what there is now [m], (3,)."""
        simulation = self._run.simulation
        places: Vector = np.mean([simulation[name].position for name in simulation.scene.parts], axis=0)
        return places

    def _blow(self, velocity: Vector) -> None:
        self._run.blow(velocity)
        self._run.ask(lambda _: self.wind.show(velocity), replaces="wind arrow")


class Panel:
    """The folder of a part."""

    def __init__(self, gui: Any, run: SceneRun, part: Any, handles: Handles) -> None:
        self.name: str = part.name
        self.target: Vector | None = None  # where it was sent [m], (3,); None: nowhere
        self._run, self._sliders = run, list[tuple[Any, float]]()
        self._said = gui.add_html("")

    def begun(self) -> None:
        """As at the start."""
        self.target = None
        self._rest_sliders()

    def refresh(self, frame: Frame) -> None:
        """Show what changed by itself."""

    def say(self, sentence: str) -> None:
        """The line of its readings."""
        html = text_html(sentence)
        if self._said.content != html:
            self._said.content = html

    def _slider(
        self, gui: Any, label: str, least: float, most: float, step: float, value: float, act: Any
    ) -> Any:
        """A slider that does something when a person moves it."""
        slider = gui.add_slider(label, least, most, step, value)
        slider.on_update(lambda event: act() if event.client is not None else None)
        self._sliders.append((slider, value))
        return slider

    def _rest_sliders(self, besides: Any = None) -> None:
        for slider, value in self._sliders:
            if slider is not besides and slider.value != value:
                slider.value = value


class VehiclePanel(Panel):
    """A robot that goes where it is told."""

    speed: float = GROUND_SPEED  # of the sliders [m/s]
    words: tuple[str, ...] = ("hold",)
    level = True  # its place has no height of its own

    def __init__(self, gui: Any, run: SceneRun, part: Robot, handles: Handles) -> None:
        super().__init__(gui, run, part, handles)
        labels = {word.replace("_", " ").capitalize(): word for word in self.words}
        self.buttons = gui.add_button_group("", tuple(labels))
        self.buttons.on_click(lambda event: self.tell(labels[event.target.value]))
        axes = "xy" if self.level else "xyz"
        self.velocity = [
            self._slider(gui, f"velocity {axis} [m/s]", -self.speed, self.speed, 0.05, 0.0, self._drift)
            for axis in axes
        ]
        start = float(np.round(np.degrees(np.arctan2(np.sin(part.yaw), np.cos(part.yaw)))))
        self.yaw = self._slider(gui, "yaw [deg]", -180.0, 180.0, 5.0, start, self._turn)
        handles.add(part.name, run.simulation[part.name].position, self._go, level=self.level)

    def refresh(self, frame: Frame) -> None:
        """Where it is, and how fast."""
        x, y, z = frame.poses[self.name].position
        speed = float(np.linalg.norm(self._run.simulation[self.name].velocity))
        self.say(f"at {x:.2f}, {y:.2f}, {z:.2f} m, {speed:.2f} m/s")

    def tell(self, word: str) -> None:
        """take_off, land or hold."""
        self.target = None
        self._rest_sliders(self.yaw)
        self._run.command(self.name, None, **{word: True})

    def _go(self, place: Vector) -> None:
        self.target = place
        self._rest_sliders(self.yaw)
        position = place[:2] if self.level else place
        self._run.command(self.name, self._refused, position=tuple(map(float, position)))

    def _drift(self) -> None:
        self.target = None
        velocity = [float(slider.value) for slider in self.velocity]
        velocity += [0.0] * (3 - len(velocity))
        self._run.command(self.name, self._refused, velocity=tuple(velocity))

    def _turn(self) -> None:
        self._run.command(self.name, self._refused, yaw=float(np.radians(self.yaw.value)))

    def _refused(self) -> None:
        self.target = None
        self._rest_sliders(self.yaw)


class DronePanel(VehiclePanel):
    """A robot that flies."""

    speed = AIR_SPEED
    words = ("take_off", "land", "hold")
    level = False


class HangingPanel(Panel):
    """A robot that hangs on its tether."""

    def __init__(self, gui: Any, run: SceneRun, part: Robot, handles: Handles) -> None:
        super().__init__(gui, run, part, handles)
        spec = part.spec
        assert isinstance(spec, AvocadoRobotSpec)
        turn = float(np.floor(100.0 * spec.torque_max) / 100.0)
        most = spec.thrust_max
        self.thrust = self._slider(gui, "thrust [N]", 0.0, most, 0.05, min(part.thrust, most), self._push)
        self.torque = self._slider(gui, "torque [N m]", -turn, turn, 0.01, 0.0, self._push)

    def refresh(self, frame: Frame) -> None:
        """How it hangs."""
        state, (left, right) = self._run.simulation[self.name].state, frame.thrusts[self.name]
        theta, heading = np.degrees((state.theta, state.heading))
        self.say(
            f"theta {theta:.1f} deg, heading {heading:.1f} deg, {state.distance:.2f} m free, "
            f"thrusts {left:.2f} and {right:.2f} N"
        )

    def _push(self) -> None:
        self._run.command(self.name, thrust=float(self.thrust.value), torque=float(self.torque.value))


class WinchPanel(Panel):
    """A tether with a winch at its start."""

    def __init__(self, gui: Any, run: SceneRun, part: Line, handles: Handles) -> None:
        super().__init__(gui, run, part, handles)
        assert part.winch is not None
        fastest = max(float(np.floor(100.0 * part.winch.speed_max) / 100.0), 0.01)
        longest = float(np.floor(20.0 * part.length_total) / 20.0)
        least = min(LENGTH_LEAST, longest - 0.05)
        out = min(max(round(part.length, 2), least), longest)
        self.length = self._slider(gui, "length [m]", least, longest, 0.05, out, lambda: self._keep("length"))
        self.speed = self._slider(
            gui, "reel [m/s]", -fastest, fastest, 0.01, 0.0, lambda: self._keep("speed")
        )
        self.tension = self._slider(
            gui, "tension [N]", 0.0, TENSION_MAX, 0.1, 0.0, lambda: self._keep("tension")
        )
        self._keeps, self._measured = "", _ReelSpeed()

    def begun(self) -> None:
        """It follows its rule again."""
        super().begun()
        self._keeps = ""

    def refresh(self, frame: Frame) -> None:
        """What is out, how fast it comes, and how hard it is pulled."""
        self.say(f"{_reading(frame, self.name, self._measured)}{self._keeps}")

    def _keep(self, what: str) -> None:
        slider = {"length": self.length, "speed": self.speed, "tension": self.tension}[what]
        if slider is not self.speed and self.speed.value != 0.0:
            self.speed.value = 0.0
        unit = {"length": "m", "speed": "m/s", "tension": "N"}[what]
        self._keeps = f", keeps {slider.value:g} {unit}"
        self._run.command(self.name, self._refused, **{what: float(slider.value)})

    def _refused(self) -> None:
        self._keeps = ""


class TetherPanel(Panel):
    """A tether without a winch, whose start can pay out all the same, and whose ends can be let go."""

    def __init__(self, gui: Any, run: SceneRun, part: Line, handles: Handles) -> None:
        super().__init__(gui, run, part, handles)
        self.speed = self._slider(gui, "reel [m/s]", -REEL_SPEED, REEL_SPEED, 0.01, 0.0, self._reel)
        ends = {f"{side} of {site.owner}": side for side, site in (("start", part.start), ("end", part.end))}
        self.release = gui.add_button_group("let go", tuple(ends), hint="the end is free from then on")
        self.release.on_click(lambda event: run.release(part.name, ends[event.target.value]))
        self._measured = _ReelSpeed()

    def refresh(self, frame: Frame) -> None:
        """How long it is, and how hard it is pulled."""
        self.say(_reading(frame, self.name, self._measured))

    def _reel(self) -> None:
        self._run.command(self.name, speed=float(self.speed.value))


class HandPanel(Panel):
    """A point that people move."""

    def __init__(self, gui: Any, run: SceneRun, part: Hand, handles: Handles) -> None:
        super().__init__(gui, run, part, handles)
        handles.add(part.name, part.position, self._go, size=0.4)

    def refresh(self, frame: Frame) -> None:
        """Where it is."""
        x, y, z = frame.poses[self.name].position
        self.say(f"at {x:.2f}, {y:.2f}, {z:.2f} m; drag its handle")

    def _go(self, place: Vector) -> None:
        self.target = place
        self._run.move_hand(self.name, place)


class _ReelSpeed:
    """How fast a tether gets longer, from one look to the next."""

    def __init__(self) -> None:
        self._time, self._length, self._speed = 0.0, float("nan"), 0.0

    def at(self, time: float, length: float) -> float:
        """Positive while it is paid out [m/s]."""
        if time > self._time and np.isfinite(self._length):
            self._speed = (length - self._length) / (time - self._time)
        elif time < self._time:
            self._speed = 0.0
        self._time, self._length = time, length
        return self._speed


def _reading(frame: Frame, name: str, measured: _ReelSpeed) -> str:
    strand: Strand = frame.tethers[name]
    length = strand.length or 0.0
    speed = measured.at(frame.time, length)
    most = float(strand.tension.max(initial=0.0))
    speed = round(speed, 2) + 0.0  # no minus before zero
    return (
        f"{length:.2f} m out, {speed:.2f} m/s, {strand.tension[0]:.2f} N at its start, {most:.2f} N at most"
    )


def _panel_of(part: Any) -> type[Panel] | None:
    if isinstance(part, Line):
        return WinchPanel if part.winch is not None else TetherPanel
    if isinstance(part, Hand):
        return HandPanel
    if isinstance(part.spec, QuadrotorSpec):
        return DronePanel
    return HangingPanel if isinstance(part.spec, AvocadoRobotSpec) else VehiclePanel


def _tell_all(panels: list[DronePanel], word: str) -> None:
    for panel in panels:
        panel.tell(word)
