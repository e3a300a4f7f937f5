"""The published scan of a theatre can take the place of our own, as docs/scenarios.md says."""

import re
from pathlib import Path

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.scenario.reach import uav_clearance

HERE = Path(__file__).resolve()
PAGE = HERE.parents[2] / "docs" / "scenarios.md"
MAP = next(
    (
        path
        for folder in HERE.parents[2:]
        if (path := folder / "shared/data/marsupial/maps/teatro.bt").is_file()
    ),
    None,
)


@pytest.mark.skipif(MAP is None, reason="the published map is not on this machine")
def test_the_planned_mission_flies_in_the_scan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (text,) = re.findall(r"```yaml\n# scanned\.yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    Path("scanned.yaml").write_text(text.replace("teatro.bt", str(MAP)))
    simulation = tl.Simulation("theatre", {"world": "scanned.yaml"})
    targets = np.array([target.uav for target in simulation.scenario.mission.targets])
    assert len(targets) == 100
    assert uav_clearance(simulation.scenario, targets).min() > 0.2
    simulation.run(until=5.0)
    assert simulation.outcome is None and simulation.state.uav.position[2] > 1.0
