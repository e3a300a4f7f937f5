"""Trajectories: the published files, tables with and without units, and irregular ones with their reason."""

from pathlib import Path

import pytest

import tetherlab as tl
from tetherlab.scenario.library import Source, packaged
from tetherlab.scenario.trajectory import Waypoint, load_trajectory, read_trajectory, write_trajectory

POSE = "{pose: {position: {x: %s, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}}"


def published(ugv=2, uav=2, lengths=2, size=None, x="1.5"):
    """A file in the published form with so many items in each list."""
    lines = ["marsupial_ugv:", *(f"  poses{i}: {POSE % 0}" for i in range(ugv))]
    lines += ["marsupial_uav:", *(f"  poses{i}: {POSE % x}" for i in range(uav))]
    lines += ["tether:", *(f"  length{i}: {{length: {i + 3}}}" for i in range(lengths))]
    if size is not None:
        lines.append(f"  size: {size}")
    return "\n".join(lines) + "\n"


def read(text, suffix=".yaml"):
    return read_trajectory(Source("file", Path(), text, suffix))


def problem(text, suffix=".yaml"):
    with pytest.raises(tl.InputError) as caught:
        read(text, suffix)
    return str(caught.value)


@pytest.mark.parametrize(("name", "count"), [("vertical", 20), ("recorded", 100), ("theatre", 100)])
def test_packaged_trajectories_have_all_their_targets(name, count):
    assert len(load_trajectory(name)) == count


def test_every_packaged_trajectory_can_be_read():
    assert all(load_trajectory(name) for name in packaged("trajectories"))


def test_the_published_form_is_read():
    assert read(published(size=2)) == [
        Waypoint((1.5, 0.0, 0.0), (0.0, 0.0, 0.0), 3.0),
        Waypoint((1.5, 0.0, 0.0), (0.0, 0.0, 0.0), 4.0),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (published(lengths=3), "file: the three lists must be equally long: marsupial_ugv has 2, "
         "marsupial_uav has 2, tether has 3"),
        (published(size=3), "file: line 10: tether.size: says 3, but there are 2 items"),
        (published(x="far"), "file: line 5: marsupial_uav.poses0.pose.position.x must be a number, "
         "got 'far'\nfile: line 6: marsupial_uav.poses1.pose.position.x must be a number, got 'far'"),
        (published().replace("length1", "length7"), "file: line 9: tether.length7: with 2 items, "
         "they are called length0 to length1"),
        ("marsupial_uav: {}\n", "file: marsupial_ugv: missing\nfile: tether: missing"),
        ("- 1\n", "file: must be a mapping with marsupial_ugv, marsupial_uav and tether"),
        (published(0, 0, 0), "file: marsupial_ugv: missing\nfile: marsupial_uav: missing\n"
         "file: tether: missing"),
    ],
)  # fmt: skip
def test_an_irregular_file_is_answered_with_what_and_where(text, message):
    assert problem(text) == message


HEADER = "index,ugv_x_m,ugv_y_m,ugv_z_m,uav_x_m,uav_y_m,uav_z_m,length_m\n"


@pytest.mark.parametrize("header", [HEADER, HEADER.replace("_m", "").replace("length", "tether_length_ref")])
def test_columns_are_read_with_units_and_as_published(header):
    assert read(header + "0,1,2,3,4,5,6,7\n", ".csv") == [Waypoint((4.0, 5.0, 6.0), (1.0, 2.0, 3.0), 7.0)]


def test_a_table_may_leave_lengths_out():
    text = HEADER.replace(",length_m", "") + "0,1,2,3,4,5,6\n"
    assert read(text, ".csv")[0].length is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file: line 1: column 'ugv_x_m' must be there once, got it 0 times"),
        (HEADER.replace("uav_z_m", "uav_zz_m"), "file: line 1: unknown column 'uav_zz_m'. "
         "Did you mean 'uav_z_m'?"),
        (HEADER + "0,1,2\n", "file: line 2: has 3 values for 8 columns"),
        (HEADER + "0,1,2,3,4,5,x,7\n1,1,2,3,4,5,nan,7\n", "file: line 2: uav_z_m must be a number, got 'x'\n"
         "file: line 3: uav_z_m must be finite, got nan"),
        (HEADER, "file: there is no target in it"),
    ],
)  # fmt: skip
def test_a_bad_table_is_answered_with_its_line(text, message):
    assert problem(text, ".csv").startswith(message)


def test_what_is_written_is_read_back(tmp_path):
    targets = load_trajectory("theatre")
    write_trajectory(tmp_path / "copy.csv", targets)
    assert load_trajectory(tmp_path / "copy.csv") == targets
    some = [Waypoint((0.1, 1 / 3, 2e-9), (0.0, -1.0, 5.0), None)]
    write_trajectory(tmp_path / "some.csv", some)
    assert load_trajectory(tmp_path / "some.csv") == some


def test_a_scenario_takes_a_file_in_the_published_form(tmp_path):
    (tmp_path / "mission.yaml").write_text(published(x="0.2"))
    data = tl.Scenario.load("vertical").to_dict()
    data["mission"] = {"trajectory": "mission.yaml"}
    with pytest.raises(tl.InputError, match=r"mission\.yaml.*inside an obstacle"):
        tl.Scenario.from_dict(data, folder=tmp_path)
