"""Meshes, point clouds and saved grids become worlds, or a sentence that says why not."""

import numpy as np
import pytest
import trimesh

from tetherlab.contracts.errors import InputError
from tetherlab.world import World
from tetherlab.world import shapes as S
from tetherlab.world.maps import save_grid
from tetherlab.world.mesh import grid_from_mesh
from tetherlab.world.mesh_distance import unsigned_distance, winding_numbers

BOX_SIZE = np.array([1.0, 0.6, 0.8])


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply"])
def test_a_closed_mesh_is_solid_with_the_distance_of_the_shape_it_draws(suffix, random, tmp_path):
    path = tmp_path / f"crate.{suffix}"
    trimesh.creation.box(extents=BOX_SIZE).export(path)
    world = World.load(path, resolution=0.05, margin=0.4)
    exact = World([S.Box(lower=-BOX_SIZE / 2, upper=BOX_SIZE / 2)])
    points = random.uniform(-BOX_SIZE / 2 - 0.35, BOX_SIZE / 2 + 0.35, (3000, 3))
    # Samples are exact; between them edges and the ridges inside are rounded by part of the spacing.
    error = world.distance(points) - exact.distance(points)
    assert np.abs(error).max() < 0.6 * 0.05
    assert np.sqrt(np.mean(error**2)) < 0.1 * 0.05
    assert world.names == ("crate",)


def test_samples_of_a_mesh_grid_are_exact_near_and_far():
    box = trimesh.creation.box(extents=BOX_SIZE)
    grid = grid_from_mesh(box.vertices, box.faces, closed=True, margin=0.6, spacing=0.1)
    points = grid.origin + 0.1 * np.stack(np.indices(grid.values.shape), axis=-1).reshape(-1, 3)
    exact = World([S.Box(lower=-BOX_SIZE / 2, upper=BOX_SIZE / 2)]).distance(points)
    np.testing.assert_allclose(grid.values.ravel(), exact, atol=1e-6)


def test_swept_distances_agree_with_all_triangles_measured_one_by_one(random):
    corners = random.uniform(-1, 1, (40, 1, 3)) + 0.3 * random.normal(size=(40, 3, 3))
    origin, spacing, shape = np.full(3, -2.0), 0.25, (17, 17, 17)
    swept = unsigned_distance(corners, shape, origin, spacing)
    mesh = trimesh.Trimesh(corners.reshape(-1, 3), np.arange(120).reshape(-1, 3), process=False)
    for index in random.integers(0, 17, (60, 3)):
        point = origin + spacing * index
        feet = trimesh.triangles.closest_point(mesh.triangles, np.tile(point, (40, 1)))
        exact = np.linalg.norm(feet - point, axis=1).min()
        assert swept[tuple(index)] == pytest.approx(exact, abs=0.03 * spacing)


def test_overlapping_bodies_and_cavities_are_told_by_the_winding_number():
    outer, inner = trimesh.creation.icosphere(3, radius=1.0), trimesh.creation.icosphere(3, radius=0.5)
    shifted = outer.copy()
    shifted.apply_translation((0.8, 0, 0))
    inner.invert()
    corners = np.concatenate([outer.triangles, shifted.triangles, inner.triangles])
    winding = winding_numbers(np.ascontiguousarray(corners), (29, 21, 21), np.array([-1.0, -1.0, -1.0]), 0.1)
    # along x through the centres: the cavity, the first ball alone, both, the second alone, outside
    assert winding[7, 10, 10] == 0
    assert winding[3, 10, 10] == 1
    assert winding[17, 10, 10] == 2
    assert winding[25, 10, 10] == 1
    assert winding[0, 0, 0] == 0


def test_an_open_mesh_is_a_sheet_two_spacings_thick(tmp_path):
    square = trimesh.Trimesh([(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)], [(0, 1, 2), (0, 2, 3)])
    square.export(tmp_path / "sheet.stl")
    world = World.load(tmp_path / "sheet.stl", resolution=0.1)
    heights = np.array([-0.4, -0.1, 0.0, 0.1, 0.3])
    points = np.stack([np.full(5, 1.0), np.full(5, 1.0), heights], axis=1)
    np.testing.assert_allclose(world.distance(points), np.abs(heights) - 0.1, atol=1e-6)


def _cloud(random):
    return np.stack(
        [random.uniform(0, 2, 3000), random.uniform(0, 2, 3000), random.uniform(0.51, 0.59, 3000)], axis=1
    )


def _write_ply(path, points, binary):
    trimesh.PointCloud(points).export(path, encoding="binary" if binary else "ascii")


def _write_xyz(path, points):
    np.savetxt(path, points, header="x y z")


def _write_csv_like_xyz(path, points):
    np.savetxt(path, np.column_stack([points, np.ones(len(points))]), delimiter=",", fmt="%.9f")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("ascii.ply", lambda path, points: _write_ply(path, points, binary=False)),
        ("binary.ply", lambda path, points: _write_ply(path, points, binary=True)),
        ("blanks.xyz", _write_xyz),
        ("commas.xyz", _write_csv_like_xyz),
        ("cloud.npz", lambda path, points: np.savez(path, points=points)),
    ],
)
def test_a_point_cloud_is_its_occupied_voxels(name, write, random, tmp_path):
    write(tmp_path / name, _cloud(random))
    world = World.load(tmp_path / name, resolution=0.1)
    assert world.distance((1.0, 1.0, 0.9)) == pytest.approx(0.3, abs=1e-4)
    assert world.distance((1.0, 1.0, 0.2)) == pytest.approx(0.3, abs=1e-4)
    assert world.distance((1.05, 1.05, 0.55)) < 0.0


def test_a_saved_grid_comes_back_to_the_bit(random, tmp_path):
    grid = S.VoxelGrid(values=random.normal(size=(3, 4, 5)), origin=(1, 2, 3), spacing=0.3)
    save_grid(grid, tmp_path / "grid.npz")
    (loaded,) = World.load(tmp_path / "grid.npz").shapes
    np.testing.assert_array_equal(loaded.values, grid.values)
    np.testing.assert_array_equal(loaded.origin, grid.origin)
    assert loaded.spacing == grid.spacing


BOX_STL = trimesh.creation.box().export(file_type="stl")
BOX_PLY = trimesh.creation.box().export(file_type="ply")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.stl", b"", "not a readable STL file|the mesh has no faces"),
        ("a.stl", BOX_STL[:200], "not a readable STL file|no faces, or the file is damaged"),
        ("a.stl", b"garbage" * 50, "not a readable STL file|the mesh has no faces"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\n", "not a readable OBJ file|the mesh has no faces"),
        ("a.ply", BOX_PLY[:-5], "not a readable PLY file"),
        ("a.ply", b"not a ply", "not a readable PLY file"),
        ("a.ply", b"", "not a readable PLY file"),
        ("a.xyz", b"", "the point cloud is empty"),
        ("a.xyz", b"1 2\n3 4\n", "a point has three coordinates x y z, got 2 columns"),
        ("a.xyz", b"1 2 three\n", "not a table of points x y z"),
        ("a.xyz", b"1 2 nan\n", "points must be finite"),
        ("a.xyz", bytes(range(128, 256)), "not a table of points x y z"),
        ("a.npz", b"PK no", "not a readable NPZ file"),
        ("a.npz", b"", "not a readable NPZ file"),
        ("a.las", b"", "must end in one of .yaml, .yml, .bt, .npz, .obj, .ply, .stl, .xyz, got '.las'"),
    ],
)
def test_an_unreadable_map_is_refused_in_one_sentence_that_names_it(name, content, message, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        World.load(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


def test_an_archive_of_something_else_says_what_it_holds(tmp_path):
    np.savez(tmp_path / "a.npz", weights=np.ones(3))
    with pytest.raises(InputError, match=r"must hold `points`, or `values`, .* got \['weights'\]"):
        World.load(tmp_path / "a.npz")


def test_pickled_objects_are_never_opened(tmp_path):
    np.savez(tmp_path / "a.npz", points=np.array([{"x": 1}], dtype=object))
    with pytest.raises(InputError, match="not a readable NPZ file"):
        World.load(tmp_path / "a.npz")


def test_missing_files_and_options_that_do_not_apply_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.bt: no such file"):
        World.load(tmp_path / "nowhere.bt")
    trimesh.creation.box().export(tmp_path / "box.stl")
    with pytest.raises(InputError, match=r"box\.stl: lower cannot be chosen for this kind of map"):
        World.load(tmp_path / "box.stl", lower=(0, 0, 0))
    with pytest.raises(InputError, match=r"box\.stl: the mesh needs .* million samples at 0\.0001 m"):
        World.load(tmp_path / "box.stl", resolution=1e-4)
