"""PLY files: what is written is read again, here and by others."""

import numpy as np
import pytest
import trimesh

from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.cloud_files import MAP_FILE, ROW, file_names, load_ply, save_ply
from tetherlab.contracts.errors import InputError


@pytest.fixture
def cloud(random):
    normals = random.normal(size=(500, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Cloud(random.uniform(size=(500, 3)), normals, random.integers(1, 9, 500))


def test_a_cloud_comes_back_to_single_precision(cloud, tmp_path):
    save_ply(cloud, tmp_path / "wall.ply")
    back = load_ply(tmp_path / "wall.ply")
    assert np.allclose(back.points, cloud.points, atol=1e-6)
    assert np.allclose(back.normals, cloud.normals, atol=1e-6)
    assert np.array_equal(back.counts, cloud.counts)


def test_others_read_the_same_points(cloud, tmp_path):
    save_ply(cloud, tmp_path / "wall.ply")
    assert np.allclose(trimesh.load(tmp_path / "wall.ply").vertices, cloud.points, atol=1e-6)


def test_a_file_that_was_cut_off_is_refused_with_both_counts(cloud, tmp_path):
    path = tmp_path / "wall.ply"
    save_ply(cloud, path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(
        InputError, match=f"announces {len(cloud.points)} points, {len(cloud.points) - 2} are there"
    ):
        load_ply(path)


@pytest.mark.parametrize(
    "content", [b"", b"solid wall", b"ply\nformat ascii 1.0\nelement vertex 3\nend_header\n"]
)
def test_other_files_are_refused(content, tmp_path):
    (tmp_path / "other.ply").write_bytes(content)
    with pytest.raises(InputError, match="not a cloud of tetherlab"):
        load_ply(tmp_path / "other.ply")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.ply: no such file"):
        load_ply(tmp_path / "nowhere.ply")


def test_every_map_has_a_file_of_its_own_whatever_walls_are_called():
    names = ["pillar_1 south", "Pillar 1/south", "../north", "ö", "—"]
    files = file_names(names)
    assert files["pillar_1 south"] == "map_pillar_1_south.ply" and files["../north"] == "map_north.ply"
    assert list(files) == names and len({file.lower() for file in files.values()}) == len(names)
    assert all(MAP_FILE.fullmatch(file) for file in files.values())


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("x", np.nan, "points and normals must be finite, within 1e+09 m"),
        ("nz", np.inf, "points and normals must be finite, within 1e+09 m"),
        ("y", 1e30, "points and normals must be finite, within 1e+09 m"),
        ("count", -3, "the count of a point must be >= 0, got -3"),
    ],
)
def test_points_that_cannot_be_are_refused(tmp_path, column, value, message):
    path = tmp_path / "a.ply"
    save_ply(Cloud(np.zeros((2, 3)), np.zeros((2, 3)), np.ones(2, np.int64)), path)
    header, end, data = path.read_bytes().partition(b"end_header\n")
    rows = np.frombuffer(data, ROW).copy()
    rows[column][1] = value
    path.write_bytes(header + end + rows.tobytes())
    with pytest.raises(InputError) as caught:
        load_ply(path)
    assert str(caught.value) == f"{path}: damaged: {message}"
    path.write_bytes(header.replace(b"vertex 2", b"vertex " + b"9" * 5000) + end + data)
    with pytest.raises(InputError, match="not a cloud of tetherlab"):
        load_ply(path)
