"""From a scenario in the canopy to a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.assembly.canopy_run import TICK, CanopyRun
from tetherlab.assembly.on_board import OnBoard
from tetherlab.contracts.columns import CANOPY_BELIEVED, CANOPY_REFERENCE
from tetherlab.contracts.decimals import DECIMALS
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.contracts.table import Table
from tetherlab.control.avocado import ModelController, PaperController
from tetherlab.estimation.avocado import AvocadoEstimate
from tetherlab.metrics import all_metrics
from tetherlab.metrics.canopy import LEANS
from tetherlab.scenario.canopy import CanopyScenario
from tetherlab.scenario.canopy_plan import references_of, start_state
from tetherlab.scenario.document import checked_overrides
from tetherlab.scenario.plug_in import PlugIn, plugged
from tetherlab.scenario.problems import starting
from tetherlab.sensors.avocado_suite import AvocadoSensorSpec
from tetherlab.sensors.tracking_camera import TrackingCameraSpec, outdoors
from tetherlab.vehicles.avocado import AvocadoState, thrust_for

THETA_OFF, HEADING_OFF, LENGTH_OFF = 5.0, 20.0, 0.05  # at the end, of a mission that is completed [deg], [m]


class CanopySimulation(CanopyRun):
    """A scenario in the canopy that runs: step it, look at it, and get its log."""

    def __init__(
        self,
        scenario: CanopyScenario | str | Path | Mapping[str, Any],
        overrides: Mapping[str, Any] | None = None,
        *,
        seed: int | None = None,
        controller: Any = None,
    ) -> None:
        """scenario: a name, a file, its written form or a `CanopyScenario`.

        controller: one's own, called with time [s] and `AvocadoState` every 10 ms for an `AvocadoCommand`.
        """
        changes = dict(checked_overrides(overrides))
        if seed is not None:
            changes["run.seed"] = seed
        self.name = "run"
        if isinstance(scenario, CanopyScenario):
            if changes:
                scenario = CanopyScenario.from_dict(scenario.to_dict(), changes)
        elif isinstance(scenario, Mapping):
            scenario = CanopyScenario.from_dict(scenario, changes)
        else:
            self.name, scenario = Path(scenario).stem, CanopyScenario.load(scenario, changes)
        self.scenario = scenario
        self.references = references_of(scenario)
        spec, start = scenario.spec, start_state(scenario)
        failures = {"left": scenario.failures.left, "right": scenario.failures.right}
        self._hung_from = "anchor"
        self._believed: list[tuple[float, ...]] = []
        with starting():
            super().__init__(
                spec,
                scenario.world,
                self._flies(spec) if controller is None else controller,
                start,
                scenario.duration,
                anchor=scenario.canopy.anchor,
                via=scenario.start.via,
                branches=[section.branch for section in scenario.canopy.branches],
                sensing=self._senses(start),
                failures={side: time for side, time in failures.items() if time is not None},
                thrust=thrust_for(spec, start.theta),
                element_length=scenario.run.element_length,
                step=scenario.run.step,
                record_every=round(1.0 / (TICK * scenario.run.record)),
                seed=scenario.seed,
            )

    def step(self) -> bool:
        """One tick; whether the run goes on."""
        goes_on = super().step()
        if isinstance(self.sensing, OnBoard) and self._ticks % self._every == 0:
            self._remember(self.sensing.estimate)
        if self.hangs_from != self._hung_from:
            self._hung_from = self.hangs_from
            at = self.time if self.outcome is None else self.events[-1].time
            self.events.insert(
                len(self.events) - (self.outcome is not None),
                Event(at, "contact", f"the robot hangs from {self._hung_from}"),
            )
        return goes_on

    @property
    def log(self) -> Log:
        """The record so far, with its metrics."""
        log = super().log
        log.name, log.scenario = self.name, self.scenario.to_dict()
        times = log["robot"]["time_s"]
        wanted = np.array([self.references(time)[:3] for time in times.tolist()]).reshape(-1, 3)
        columns = np.round(np.column_stack([times, *np.degrees(wanted[:, 1:]).T, wanted[:, 0]]), DECIMALS)
        log.tables["reference"] = Table.from_rows(CANOPY_REFERENCE, columns)
        if self._believed:
            log.tables["believed"] = Table.from_rows(CANOPY_BELIEVED, np.array(self._believed))
        log.metrics = all_metrics(log)
        return log

    def _remember(self, estimate: AvocadoEstimate | None) -> None:
        """What is believed, as a row of its table."""
        state = None if estimate is None else estimate.state
        if state is not None:
            angles = np.degrees([state.theta, state.phi, state.heading, state.psi]).tolist()
            row = (self.time, *angles, state.distance)
            self._believed.append(tuple(np.round(row, DECIMALS).tolist()))

    def _senses(self, start: AvocadoState) -> OnBoard | None:
        """What tells the controller where the robot is; None: it knows."""
        if self.scenario.sensing == "true_state":
            return None
        camera = outdoors() if self.scenario.sensing == "on_board_outdoors" else TrackingCameraSpec()
        sensors = AvocadoSensorSpec(camera=camera)
        return OnBoard(self.scenario.spec, start, seed=self.scenario.seed, sensors=sensors)

    def _finish(self, outcome: Outcome, details: str) -> None:
        """A mission is completed by who is where the last reference says."""
        if outcome is Outcome.COMPLETED and (off := self._away()):
            outcome, details = Outcome.TIMED_OUT, off
        super()._finish(outcome, details)

    def _away(self) -> str:
        """What is not where it shall be now, in words."""
        state, wanted = self.state, self.references(self.time)
        lean = -state.theta if math.cos(state.psi) < 0.0 else state.theta
        turned = state.heading + (math.pi if math.cos(state.psi) < 0.0 else 0.0) - wanted.heading
        off = {
            "theta": (math.degrees(lean - wanted.theta), THETA_OFF, "deg"),
            "heading": (math.degrees(math.remainder(turned, 2.0 * math.pi)), HEADING_OFF, "deg"),
            "length": (state.tether_length - wanted.tether_length, LENGTH_OFF, "m"),
        }
        if wanted.theta < math.radians(LEANS):
            del off["heading"]  # a tether that hangs down has none
        return ", ".join(
            f"{name} is {value:.3g} {unit} from its reference"
            for name, (value, most, unit) in off.items()
            if abs(value) > most
        )

    def _flies(self, spec: Any) -> Any:
        """The controller of the scenario."""
        chosen = self.scenario.controller
        if isinstance(chosen, PlugIn):
            return plugged("tetherlab.canopy_controllers", chosen, self.scenario)
        if chosen.type == "model":
            return ModelController(spec, self.references, bandwidth=chosen.bandwidth)
        return PaperController(spec, self.references)
