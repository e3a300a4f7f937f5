"""OctoMap files: what is written is read, and damaged files are refused by name."""

from pathlib import Path

import numpy as np
import pytest
from octomap_files import octomap_bytes

from tetherlab.contracts.errors import InputError
from tetherlab.world import World
from tetherlab.world.octomap import read_octomap

SHARED_MAPS = Path(__file__).resolve().parents[3] / "shared" / "data" / "marsupial" / "maps"


def _sorted(keys):
    return keys[np.lexsort(keys.T)]


@pytest.fixture
def random_keys(random):
    return np.unique(random.integers(-9, 12, (60, 3)), axis=0)


def test_occupied_voxels_are_read_back_and_free_ones_are_not(random_keys, tmp_path):
    free = random_keys + np.array([100, 0, 0])
    (tmp_path / "map.bt").write_bytes(octomap_bytes(random_keys, 0.25, free=free))
    keys, resolution = read_octomap(tmp_path / "map.bt")
    np.testing.assert_array_equal(_sorted(keys), _sorted(random_keys))
    assert resolution == 0.25


def test_a_pruned_leaf_stands_for_all_its_voxels(tmp_path):
    (tmp_path / "map.bt").write_bytes(octomap_bytes([(0, 0, 0)], 0.1, coarse=[((8, -16, 4), 4)]))
    keys, _ = read_octomap(tmp_path / "map.bt")
    block = np.argwhere(np.ones((4, 4, 4))) + np.array([8, -16, 4])
    np.testing.assert_array_equal(_sorted(keys), _sorted(np.concatenate([[(0, 0, 0)], block])))


def test_a_loaded_block_has_its_faces_where_the_file_says(tmp_path):
    (tmp_path / "block.bt").write_bytes(octomap_bytes([], 0.1, coarse=[((8, -16, 0), 8)]))
    world = World.load(tmp_path / "block.bt", margin=1.0)
    assert world.names == ("block",)
    assert world.distance((1.2, -1.2, 1.3)) == pytest.approx(0.5, abs=1e-6)
    assert world.distance((0.5, -1.2, 0.4)) == pytest.approx(0.3, abs=1e-6)
    assert world.distance((1.2, -1.2, 0.4)) < -0.3
    assert world.raycast((1.2, -5.0, 0.4), (0, 1, 0), 50.0) == pytest.approx(3.4, abs=1e-6)


def test_a_map_may_be_cropped_while_loading(tmp_path):
    (tmp_path / "two.bt").write_bytes(octomap_bytes([(0, 0, 0), (50, 0, 0)], 0.1))
    cropped = World.load(tmp_path / "two.bt", lower=(-1, -1, -1), upper=(2, 1, 1))
    assert cropped.distance((5.0, 0.05, 0.05)) > 4.4


def test_unknown_space_is_solid_if_asked_for(tmp_path):
    wall = [(3, j, k) for j in range(4) for k in range(4)]
    free = [(i, j, k) for i in range(3) for j in range(4) for k in range(4)]
    path = tmp_path / "room.bt"
    path.write_bytes(octomap_bytes(wall, 0.5, free=free))
    usual, strict = World.load(path), World.load(path, unknown_is="occupied")
    assert World.load(path, unknown_is="free").distance((9, 1, 1)) == usual.distance((9, 1, 1)) > 6.9
    # The room is 1.5 m x 2 m x 2 m; what lies round it was never seen.
    assert usual.distance((0.75, 1.0, 1.0)) == pytest.approx(0.75)
    assert strict.distance((0.75, 1.0, 1.0)) == pytest.approx(0.75)
    assert usual.distance((0.25, 1.0, 1.0)) == pytest.approx(1.25)
    assert strict.distance((0.25, 1.0, 1.0)) == pytest.approx(0.25)
    unseen = np.array([(-0.3, 1, 1), (0.7, 1, 2.3), (1.7, 1, 1), (-50, 0, 0), (9, 1, 1)])
    assert (strict.distance(unseen) < 0.0).all()
    assert strict.raycast((0.75, 1.0, 1.0), (0, 0, 1), 50.0) == pytest.approx(1.0, abs=1e-6)


def test_what_is_cropped_away_is_unknown_too(tmp_path):
    path = tmp_path / "room.bt"
    path.write_bytes(octomap_bytes([], 0.5, free=[(20, 0, 0)], coarse=[((8, 0, 0), 8)]))
    (tmp_path / "world.yaml").write_text(
        "shapes: [{type: map, file: room.bt, unknown_is: occupied, lower_m: [9, 0, 0], upper_m: [11, 1, 1]}]"
    )
    world = World.load(tmp_path / "world.yaml")
    assert world.distance((10.25, 0.25, 0.25)) > 0.0 > world.distance((9.5, 0.25, 0.25))
    with pytest.raises(InputError, match="no free voxel between lower and upper"):
        World.load(path, unknown_is="occupied", upper=(1, 1, 1))


def test_a_free_leaf_that_was_pruned_is_free_as_a_whole(tmp_path):
    path = tmp_path / "hall.bt"
    path.write_bytes(octomap_bytes([(40, 0, 0)], 0.1, coarse_free=[((0, 0, 0), 16)]))
    world = World.load(path, unknown_is="occupied", margin=0.2)
    assert world.distance((0.8, 0.8, 0.8)) == pytest.approx(0.8, abs=0.06)  # a kink: less by half a voxel
    assert world.distance((0.35, 0.8, 0.8)) == pytest.approx(0.35, abs=1e-6)
    assert world.distance((4.05, 0.05, 0.05)) < 0.0


def test_only_an_octomap_has_unknown_space_and_only_two_words_are_known(tmp_path):
    (tmp_path / "a.xyz").write_text("0 0 0\n")
    with pytest.raises(InputError, match=r"a\.xyz: unknown_is cannot be chosen for this kind of map"):
        World.load(tmp_path / "a.xyz", unknown_is="occupied")
    (tmp_path / "a.bt").write_bytes(octomap_bytes([(0, 0, 0)], 0.1))
    with pytest.raises(InputError, match="unknown_is must be 'free' or 'occupied', got 'solid'"):
        World.load(tmp_path / "a.bt", unknown_is="solid")
    with pytest.raises(InputError, match=r"a\.bt: the map has no free voxel"):
        World.load(tmp_path / "a.bt", unknown_is="occupied")


GOOD = octomap_bytes([(0, 0, 0), (5, -3, 2)], 0.1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not an OctoMap binary tree"),
        (b"# Octomap OcTree file\n" + GOOD, "not an OctoMap binary tree"),
        (bytes(range(256)) * 4, "not an OctoMap binary tree"),
        (GOOD[:-3], "the file ends in the middle of the tree, after [0-9]+ of [0-9]+ nodes"),
        (GOOD[: GOOD.index(b"data\n") + 5], "the file ends in the middle of the tree"),
        (GOOD[: GOOD.index(b"data\n")], "the header has no line 'data'"),
        (GOOD + b"\0", "the tree does not match its header of [0-9]+ nodes; the file is damaged"),
        (GOOD[:-40] + b"\xff" * 40, "the tree does not match its header|the file ends in the middle"),
        (GOOD.replace(b"res 0.1", b"res abc"), "the header must give size and res as numbers"),
        (GOOD.replace(b"res 0.1", b"res 0.0"), "res must be from 1e-05 to 1000 m, got 0"),
        (GOOD.replace(b"res 0.1", b"res inf"), "res must be from 1e-05 to 1000 m, got inf"),
        (
            GOOD.replace(b"id OcTree", b"id ColorOcTree"),
            "only trees of id OcTree can be read, got 'ColorOcTree'",
        ),
        (b"# Octomap OcTree binary file\nid OcTree\nsize 0\nres 0.1\ndata\n", "the map is empty"),
        (octomap_bytes([], 0.1, free=[(0, 0, 0)]), "the map has no occupied voxel"),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence_that_names_it(content, message, tmp_path):
    path = tmp_path / "broken.bt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        World.load(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


@pytest.mark.skipif(not SHARED_MAPS.is_dir(), reason="the shared maps are not on this machine")
def test_a_real_map_has_the_extent_it_is_known_for():
    keys, resolution = read_octomap(SHARED_MAPS / "teatro.bt")
    assert resolution == 0.05
    np.testing.assert_allclose(keys.min(axis=0) * resolution, [-11.3, -16.1, -0.7], atol=0.051)
    np.testing.assert_allclose((keys.max(axis=0) + 1) * resolution, [38.8, 18.0, 10.2], atol=0.051)


@pytest.mark.skipif(not SHARED_MAPS.is_dir(), reason="the shared maps are not on this machine")
def test_distances_in_a_real_map_are_those_to_its_voxels(random):
    path = SHARED_MAPS / "stage_2.bt"
    keys, resolution = read_octomap(path)
    world = World.load(path)
    grid = world.shapes[0]
    points = random.uniform(grid.origin, grid.upper, (24, 3))
    centers = (keys + 0.5) * resolution
    away = np.maximum(np.abs(points[:, None] - centers) - resolution / 2, 0.0)
    exact = np.sqrt((away**2).sum(axis=2).min(axis=1))
    far = exact > 2 * resolution
    assert far.sum() > 12
    np.testing.assert_allclose(world.distance(points)[far], exact[far], atol=0.4 * resolution)


def test_a_leaf_that_stands_for_very_many_voxels_is_refused_before_they_are_made(tmp_path):
    path = tmp_path / "huge.bt"
    path.write_bytes(octomap_bytes([], 0.1, coarse=[((0, 0, 0), 1 << 14)]))
    with pytest.raises(InputError, match=r"huge\.bt: its leaves stand for 4398047 million occupied voxels"):
        World.load(path)
    path.write_bytes(octomap_bytes([], 0.1, coarse_free=[((0, 0, 0), 1 << 14)]))
    with pytest.raises(
        InputError, match=r"huge\.bt: the map needs \d+ million samples .* more than 16 million"
    ):
        World.load(path, unknown_is="occupied")
    path.write_bytes(octomap_bytes([(0, 0, 0), (9000, 0, 0)], 0.1))
    for options in ({"margin": 1e300}, {"margin": 1e4}):
        with pytest.raises(InputError, match=r"huge\.bt: the map needs .* more than 16 million"):
            World.load(path, **options)
