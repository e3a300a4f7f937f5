"""From a written plan of a team to a run that carries it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.assembly.cooperation import CarriedOut, Cooperation, execution_of
from tetherlab.assembly.cooperation_team import find_team
from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.decimals import DECIMALS
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.contracts.table import Table
from tetherlab.metrics import GOAL_ERROR, all_metrics
from tetherlab.scenario.document import checked_overrides
from tetherlab.scenario.team_plan import TeamPlan


class TeamSimulation:
    """A plan that is carried out: go from step to step, and get its log."""

    def __init__(
        self,
        scenario: TeamPlan | str | Path | Mapping[str, Any],
        overrides: Mapping[str, Any] | None = None,
    ) -> None:
        """scenario: a file, its written form or a `TeamPlan`."""
        changes = checked_overrides(overrides)
        self.name = "run"
        if isinstance(scenario, TeamPlan):
            if changes:
                scenario = TeamPlan.from_dict(scenario.to_dict(), changes)
        elif isinstance(scenario, Mapping):
            scenario = TeamPlan.from_dict(scenario, changes)
        else:
            self.name, scenario = Path(scenario).stem, TeamPlan.load(scenario, changes)
        self.scenario = scenario
        self.failure_folder: Path | None = None  # for what led to a failure; None: a temporary one
        find_team(scenario.problem)  # who cannot be there is said before anything is compiled
        self._doing: tuple[float, str] = (0.0, "")  # share that is done, and what is done now

    @property
    def time(self) -> float:
        """[s]."""
        return self._work.run.time

    def step(self) -> bool:
        """As far as the beginning of the next step of the plan; whether the run goes on."""
        doing = next(self._steps, None)
        if doing is not None:
            self._doing = doing
        return doing is not None

    def run(self, progress: Callable[[float, str], None] | None = None) -> None:
        """Go on until the end; Ctrl-C stops and keeps what there is.

        progress: called before each step with the share that is done and a sentence.
        """
        say = progress or (lambda share, text: None)
        run = self._work.run
        try:
            say(*self._doing)
            while self.step():
                say(*self._doing)
        except KeyboardInterrupt:
            run.finish(
                Outcome.STOPPED, f"Ctrl-C after {len(self._work.done)} of {len(self.scenario.steps)} steps"
            )
        if run.outcome is Outcome.COMPLETED:
            self._doing = (1.0, f"{run.time:.0f} s")
        say(*self._doing)

    @property
    def log(self) -> Log:
        """The record so far, with its metrics."""
        done = self._work.executed
        log = done.log
        log.name, log.scenario = self.name, self.scenario.to_dict()
        log.tables["steps"] = _table(done.steps)
        log.events = _with_trouble(log.events, done.steps)
        # What a robot is told here is where its step ends, so it does not lag behind a reference.
        metrics = {name: value for name, value in all_metrics(log).items() if not name.startswith("track_")}
        log.metrics = metrics | {f"{GOAL_ERROR}{name}_m": error for name, error in done.errors.items()}
        return log

    @cached_property
    def _work(self) -> Cooperation:
        """Everything at its start; what it takes is compiled here."""
        how = execution_of(self.scenario.execution)
        work = Cooperation(self.scenario.problem, self.scenario.plan, how)
        work.run.sim.failure_folder = self.failure_folder
        return work

    @cached_property
    def _steps(self) -> Iterator[tuple[float, str]]:
        return iter(self._work)


def _table(steps: tuple[CarriedOut, ...]) -> Table:
    rows = [
        (
            step.start, k, step.end, *step.planned, *step.place, step.length_planned, step.length,
            step.tension_peak, step.perch_peak, float(bool(step.trouble)),
        )
        for k, step in enumerate(steps)
    ]  # fmt: skip
    return Table.from_rows(
        COLUMNS["steps"], np.round(np.array(rows).reshape(-1, len(COLUMNS["steps"])), DECIMALS)
    )


def _with_trouble(events: list[Event], steps: tuple[CarriedOut, ...]) -> list[Event]:
    """With a word for each step that failed, before the next one begins or the run ends."""
    told: list[Event] = []
    left = iter(steps)
    ended: CarriedOut | None = None
    for event in events:
        if event.kind in ("step", "outcome"):
            if ended is not None and ended.trouble:
                told.append(Event(ended.end, "trouble", f"{ended.label}: {ended.trouble}"))
            ended = next(left, None)
        told.append(event)
    return told
