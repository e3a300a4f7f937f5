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
from tetherlab.world.mesh_files import require_complete

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
    with pytest.warns(UserWarning, match=r"since it is not closed: it becomes a sheet 0\.2 m thick"):
        world = World.load(tmp_path / "sheet.stl", resolution=0.1)
    heights = np.array([-0.4, -0.1, 0.0, 0.1, 0.3])
    points = np.stack([np.full(5, 1.0), np.full(5, 1.0), heights], axis=1)
    np.testing.assert_allclose(world.distance(points), np.abs(heights) - 0.1, atol=1e-6)


def test_beyond_the_lattice_distances_are_those_of_a_box_and_else_a_lower_bound(random, tmp_path):
    box, ball = trimesh.creation.box(extents=(1, 1, 1)), trimesh.creation.icosphere(3, radius=0.5)
    points = random.uniform(-4, 4, (2000, 3))
    points = points[np.abs(points).max(axis=1) > 1.05]
    exact = World([S.Box(lower=(-0.5,) * 3, upper=(0.5,) * 3)])
    for mesh in (box, ball):
        mesh.export(tmp_path / "mesh.stl")
        world = World.load(tmp_path / "mesh.stl", resolution=0.05)
        found, gradients = world.distance(points), world.gradient(points)
        if mesh is box:
            np.testing.assert_allclose(found, exact.distance(points), atol=1e-6)
            np.testing.assert_allclose(gradients, exact.gradient(points), atol=1e-6)
        else:
            true = np.linalg.norm(points, axis=1) - 0.5
            assert (found < true + 0.002).all()  # the mesh lies inside the ball by its facets
            assert (found >= exact.distance(points) - 1e-6).all()
            assert (true - found).max() < 0.5 * (np.sqrt(3) - 1) + 0.002  # from ball to corner of its box


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


BOX = trimesh.creation.box()
BOX_STL, BOX_STL_TEXT = BOX.export(file_type="stl"), BOX.export(file_type="stl_ascii").encode()
BOX_PLY, BOX_PLY_TEXT = BOX.export(file_type="ply"), BOX.export(file_type="ply", encoding="ascii")
BOX_OBJ = BOX.export(file_type="obj").encode()
CLOUD_PLY = (
    b"ply\nformat ascii 1.0\nelement vertex 10\nproperty float x\nproperty float y\nproperty float z\n"
    b"end_header\n0 0 0\n1 1 1\n"
)


@pytest.mark.parametrize("whole", [BOX_STL, BOX_STL_TEXT, BOX_PLY, BOX_PLY_TEXT], ids=range(4))
def test_a_mesh_file_that_was_cut_off_anywhere_is_refused(whole, tmp_path):
    path = tmp_path / ("a.ply" if whole.startswith(b"ply") else "a.stl")
    for length in range(0, len(whole) - 20, 7):  # the last words of a text file carry no information
        path.write_bytes(whole[:length])
        with pytest.raises(InputError, match=r"cut off|not a readable PLY|not a PLY|not an STL"):
            World.load(path, resolution=0.2)
    path.write_bytes(whole)
    assert World.load(path, resolution=0.2).distance((0, 0, 1)) == pytest.approx(0.5)


def test_polygons_of_different_size_are_counted_row_by_row(tmp_path):
    header = (
        b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
        b"property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
    )
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], "<f4").tobytes()
    faces = b"\4" + np.arange(4, dtype="<i4").tobytes() + b"\3" + np.arange(3, dtype="<i4").tobytes()
    (tmp_path / "mixed.ply").write_bytes(header + corners + faces)
    require_complete(tmp_path / "mixed.ply")
    (tmp_path / "mixed.ply").write_bytes(header + corners + faces[:-1])
    with pytest.raises(InputError, match="announces 2 rows of 'face', 1 are there"):
        require_complete(tmp_path / "mixed.ply")


def test_a_mesh_with_a_hole_becomes_a_sheet_and_says_so(tmp_path):
    path = tmp_path / "box.obj"
    path.write_bytes(BOX_OBJ[: int(0.9 * len(BOX_OBJ))])  # an OBJ file does not say how many faces it has
    with pytest.warns(UserWarning, match=r"box\.obj: the mesh has no inside, since it is not closed"):
        world = World.load(path, resolution=0.05)
    assert world.distance((0, 0, 0)) > 0.0


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.stl", b"", "neither begins with 'solid' nor has a header of 84 bytes, got 0 bytes"),
        ("a.stl", BOX_STL[:200], "cut off: its header announces 12 triangles, 2 are there"),
        ("a.stl", BOX_STL_TEXT[:-200], "cut off: it has 10 triangles and part of another, but no line 'ends"),
        ("a.stl", b"garbage" * 50, "cut off: its header announces [0-9]+ triangles, 5 are there"),
        ("a.stl", BOX_STL[:80] + bytes(4), "the mesh has no faces"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\n", "not a readable OBJ file|the mesh has no faces"),
        ("a.ply", BOX_PLY[:-5], "cut off: its header announces 12 rows of 'face', 11 are there"),
        ("a.ply", BOX_PLY[: -12 * 13], "cut off: its header announces 12 rows of 'face', 0 are there"),
        ("a.ply", CLOUD_PLY, "cut off: its header announces 10 rows of 'vertex', 2 are there"),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement vertex ten\nend_header\n",
            "the line 'element vertex ten'",
        ),
        ("a.ply", b"ply\nformat morse 1.0\nend_header\n", "the header gives the format 'morse'"),
        ("a.ply", b"not a ply", "not a PLY file: it does not begin with 'ply'"),
        ("a.ply", b"", "not a PLY file"),
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


@pytest.mark.parametrize(
    ("name", "arrays", "message"),
    [
        ("a.npz", {"points": [[1e300, 0, 0]]}, "points must lie within 1e+08 m at a resolution of 0.1 m"),
        ("a.npz", {"points": np.array([["a", "b", "c"]])}, "points must be numbers, got an array of <U1"),
        ("a.npz", {"values": np.full((3, 3, 3), 1e300), "origin": [0, 0, 0], "spacing": 0.1},
         "all values must be finite distances in metres, up to 1e+08"),
        ("a.npz", {"values": np.zeros((3, 3, 3)), "origin": [0, 0, 0], "spacing": [0.1, 0.2]},
         "spacing must be one number, got an array of shape (2,)"),
        ("a.npz", {"values": np.zeros((3, 3, 3)), "origin": [1e300, 0, 0], "spacing": 0.1},
         "origin must be at most 1e+09 m, got 1e+300"),
        ("a.npz", {"values": np.zeros((3, 3, 3), complex), "origin": [0, 0, 0], "spacing": 0.1},
         "cannot be read as an array of numbers, it holds complex128"),
    ],
)  # fmt: skip
def test_arrays_that_are_no_map_are_refused(tmp_path, name, arrays, message):
    np.savez(tmp_path / name, **arrays)
    with pytest.raises(InputError) as caught:
        World.load(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name}: {message}"


def test_a_mesh_without_extent_far_away_or_of_too_many_large_triangles_is_refused(tmp_path):
    path = tmp_path / "a.stl"
    trimesh.Trimesh(np.zeros((3, 3)), [[0, 1, 2]], process=False).export(path)
    with pytest.raises(InputError, match=r"a\.stl: the mesh must be larger than 0\.001 m"):
        World.load(path)
    trimesh.Trimesh(1e12 * np.eye(3), [[0, 1, 2]], process=False).export(path)
    with pytest.raises(InputError, match=r"a\.stl: vertices must lie within 1e\+08 m"):
        World.load(path)
    corners = np.random.default_rng(1).uniform(-1.0, 1.0, (6000, 3))
    trimesh.Trimesh(corners, np.arange(6000).reshape(-1, 3), process=False).export(path)
    with pytest.raises(InputError, match=r"a\.stl: the mesh needs \d+ million measurements of triangles"):
        World.load(path)


def test_a_world_has_few_maps(tmp_path):
    np.savez(tmp_path / "a.npz", points=np.zeros((1, 3)))
    shapes = [{"type": "map", "file": "a.npz", "name": str(index)} for index in range(17)]
    with pytest.raises(InputError, match=r"world: shapes\[16\]: a world has at most 16 maps"):
        World.from_dict({"shapes": shapes}, folder=tmp_path)
    assert len(World.from_dict({"shapes": shapes[:16]}, folder=tmp_path).names) == 16


def test_a_mine_or_hoop_of_too_many_parts_is_refused():
    with pytest.raises(InputError, match="spacing_m must be larger, or the mine smaller or less rough"):
        World.from_dict({"mine": {"spacing_m": 1e-4}})
    with pytest.raises(InputError, match=r"mine: rows must be at most 1000"):
        World.from_dict({"mine": {"rows": 10**9}})
    hoop = {"type": "hoop", "center_m": [0, 0, 1], "normal": [1, 0, 0], "pieces": 10**9}
    with pytest.raises(InputError, match="pieces must be an integer from 6 to 1000, got 1000000000"):
        World.from_dict({"shapes": [hoop]})


def test_a_line_without_end_is_refused_before_it_is_parsed(tmp_path):
    (tmp_path / "cloud.xyz").write_bytes(b"1 2 3\n" + b"1 " * 1_000_000 + b"\n")
    with pytest.raises(InputError, match=r"cloud\.xyz: has a line of more than 1000000 bytes$"):
        World.load(tmp_path / "cloud.xyz")
