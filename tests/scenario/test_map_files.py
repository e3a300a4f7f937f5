"""A scenario with a map may be moved together with it: what is written names it relative to itself."""

import shutil

import pytest

import tetherlab as tl
from tetherlab.contracts.documents import read_yaml

MAPS = [{"type": "map", "file": "maps/cloud.xyz", "resolution_m": 0.1}]
WORLD = {"shapes": [{"type": "plane"}, {"type": "union", "shapes": MAPS}]}


@pytest.fixture
def project(tmp_path):
    """A folder with a map, and a scenario whose world has it."""
    (tmp_path / "one" / "maps").mkdir(parents=True)
    (tmp_path / "one" / "maps" / "cloud.xyz").write_text("5 5 1\n5 5 1.1\n")
    return tmp_path / "one"


def simulation_in(project):
    data = tl.Scenario.load("vertical").to_dict() | {"world": WORLD}
    return tl.Simulation(tl.Scenario.from_dict(data, {"run.duration_max_s": 0.1}, folder=project))


def named_in(scenario):
    return scenario["world"]["shapes"][1]["shapes"][0]["file"]


def test_a_run_folder_is_moved_together_with_its_maps(project, tmp_path):
    simulation = simulation_in(project)
    simulation.run()
    simulation.log.save(project / "runs" / "one")
    assert named_in(read_yaml(project / "runs" / "one" / "scenario.yaml")) == "../../maps/cloud.xyz"
    shutil.move(project, tmp_path / "two")
    moved = tmp_path / "two" / "runs" / "one"
    assert tl.Scenario.load(moved / "scenario.yaml").world.distance([[5.0, 5.0, 1.05]])[0] < 0.1
    log = tl.Log.load(moved)
    assert tl.Scenario.from_dict(log.scenario).run.duration_max == 0.1
    log.save(tmp_path / "elsewhere")
    assert named_in(read_yaml(tmp_path / "elsewhere" / "scenario.yaml")) == "../two/maps/cloud.xyz"


def test_a_checkpoint_is_moved_together_with_its_maps(project, tmp_path):
    simulation_in(project).checkpoint(project / "now")
    shutil.move(project, tmp_path / "two")
    assert tl.Simulation.resume(tmp_path / "two" / "now").scenario.run.duration_max == 0.1


def test_a_map_that_stayed_behind_is_named(project, tmp_path):
    simulation_in(project).scenario.save(project / "mine.yaml")
    shutil.move(project / "mine.yaml", tmp_path / "mine.yaml")
    with pytest.raises(tl.InputError) as caught:
        tl.Scenario.load(tmp_path / "mine.yaml")
    said = str(caught.value)
    assert "mine.yaml: line" in said
    assert "world.shapes[1].shapes[0]" in said
    assert f"{tmp_path / 'maps' / 'cloud.xyz'}: no such file" in said
