"""Records what happens on a page, and writes it into a run folder beside the run, with its report."""

from __future__ import annotations

import threading
import time as wall
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tetherlab.contracts.log import Log
from tetherlab.contracts.run_folders import RunFolder, keep_run
from tetherlab.report import write_report
from tetherlab.view.live_run import LiveRun
from tetherlab.view.save_limit import SaveLimit
from tetherlab.view.server import text_html
from tetherlab.view.share import replay_page

START, STOP = "Start recording", "Stop and save"
SO_FAR = "Save the run so far"  # of what is recorded from its beginning


class Recorder:
    """The buttons with which people record."""

    def __init__(self, gui: Any, run: LiveRun, folder: Callable[[], RunFolder]) -> None:
        """folder: claims a new place for a recording."""
        self.folder, self._run = folder, run
        self.recordings: list[Path] = []  # folders that have their tables
        self.saves = SaveLimit()
        self._writing: list[threading.Thread] = []
        self._by_hand = hasattr(run.simulation, "start_recording")
        self._button = gui.add_button(
            START if self._by_hand else SO_FAR, hint="a run folder with tables and report"
        )
        self._button.on_click(lambda _: run.ask(self._toggle if self._by_hand else self._keep_all))

    def add_words(self, gui: Any) -> None:
        """Where it says what became of it."""
        self._said = gui.add_html("")

    def tell(self, sentence: str) -> None:
        """Say what became of something that was saved."""
        self._said.content = text_html(sentence)

    def may_end(self, simulation: Any) -> bool:
        """Whether a run may end: what is recorded of it is kept; false if that cannot begin now."""
        return not getattr(simulation, "recording", False) or self._keep(simulation)

    def finish(self) -> None:
        """Keep what is recorded, and wait for all that is written; Ctrl-C meanwhile leaves out a report."""
        if getattr(self._run.simulation, "recording", False):
            self._end(self._run.simulation, self._save)
        while any(thread.is_alive() for thread in self._writing):  # Ctrl-C in a join would lose them
            wall.sleep(0.05)

    def _toggle(self, simulation: Any) -> None:
        if simulation.recording:
            self._keep(simulation)
        else:
            simulation.start_recording()
            self._button.label = STOP
            self.tell("recording ...")

    def _keep(self, simulation: Any) -> bool:
        """End the recording and write it beside the run, which would stand still meanwhile.

        Returns false, and the recording goes on, if no save may begin now.
        """
        refusal = self.saves.begin()
        if refusal:
            self.tell(f"{refusal}; the recording goes on")
            return False
        self._end(simulation, self._save_beside)
        return True

    def _keep_all(self, simulation: Any) -> None:
        refusal = self.saves.begin()
        if refusal:
            self.tell(refusal)
        else:
            self._save_beside(self._log(simulation))

    def _end(self, simulation: Any, save: Callable[[Log], None]) -> None:
        simulation.stop_recording()
        self._button.label = START
        log = self._log(simulation)
        if not log.duration:
            self.tell("nothing was recorded: time stood still")
            self.saves.end()
            return
        save(log)

    def _log(self, simulation: Any) -> Log:
        log: Log = simulation.log
        log.name = self._run.name
        return log

    def _save_beside(self, log: Log) -> None:
        thread = threading.Thread(target=self._save, args=(log,), name="save")
        self._writing = [*(other for other in self._writing if other.is_alive()), thread]
        thread.start()

    def _save(self, log: Log) -> None:
        said = "writing ..."
        try:
            self.tell(said)
            folder, trouble = keep_run(log, self.folder)
            self.recordings.append(folder)
            why = f"{trouble}; therefore " if trouble else ""
            said = f"{why}the log is in {folder}, the report is being drawn"
            self.tell(said)
            scene = getattr(self._run.simulation, "scene", None)
            report = write_report(log, folder / "report.html", replay=replay_page(log, scene=scene))
            self.tell(f"{why}saved in {folder}; open {report}")
        except Exception as error:  # people should see it where they look
            traceback.print_exc()
            self.tell(f"{said}. This went wrong: {error}")
        finally:
            self.saves.end()
