"""Mines: statistics of the rock, what is where, and that nothing changes that should not."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gamma, kv

import tetherlab as tl
from tetherlab.world.rough import HURST, bump, pit, rough_surface

SMALL = tl.Mine(seed=5, pillar=(6.0, 8.0), irregularity=0.3, height=4.0, entry=5.0, bumps=1, bump_width=2.0)


def correlation(distance, length):
    """Of a surface with the von Karman spectrum and no shortest wave."""
    x = np.maximum(distance / length, 1e-9)
    return 2 ** (1 - HURST) / gamma(HURST) * x**HURST * kv(HURST, x)


def test_roughness_has_the_wanted_height_and_correlation():
    random = np.random.default_rng(1)
    fields = [rough_surface(random, (200, 160), 0.1, rms=0.05, length=1.0, finest=0.4) for _ in range(40)]
    rms = np.sqrt(np.mean(np.square(fields)))
    assert rms == pytest.approx(0.05, rel=0.03)
    for k in (3, 10, 20):
        along = np.mean([np.mean(f[k:] * f[:-k]) for f in fields]) / rms**2
        across = np.mean([np.mean(f[:, k:] * f[:, :-k]) for f in fields]) / rms**2
        assert along == pytest.approx(correlation(0.1 * k, 1.0), abs=0.04)
        assert across == pytest.approx(correlation(0.1 * k, 1.0), abs=0.04)


def test_roughness_has_no_shorter_waves_and_its_edges_do_not_know_each_other():
    random = np.random.default_rng(2)
    fields = np.array(
        [rough_surface(random, (120, 100), 0.1, rms=1.0, length=1.0, finest=0.8) for _ in range(60)]
    )
    window = np.hanning(120)[:, None] * np.hanning(100)[None]
    power = np.mean(np.abs(np.fft.rfft2(fields * window)) ** 2, axis=0)
    k = np.hypot(np.fft.fftfreq(120, 0.1)[:, None], np.fft.rfftfreq(100, 0.1)[None])
    assert power[k > 1.5 / 0.8].max() < 1e-6 * power.max()
    opposite = np.mean(fields[:, 0] * fields[:, -1]) / np.mean(fields**2)
    assert abs(opposite) < 0.1


def test_bumps_and_pits_have_their_width_at_half_their_height():
    for shape in (bump, pit):
        assert shape(np.array([0.0]), 2.0)[0] == 1.0
        assert shape(np.array([1.0]), 2.0)[0] == pytest.approx(0.5, abs=1e-12)
        assert shape(np.array([3.0]), 2.0)[0] == 0.0


def test_points_of_the_faces_floor_and_route_are_where_the_world_says(random):
    world = tl.World.of_mine(SMALL)
    assert world.names == ("floor", "ceiling", "pillar_1")
    for face in SMALL.faces:
        u = random.uniform(0.5, face.width - 0.5, 300)
        v = random.uniform(0.5, face.height - 0.5, 300)
        points = face.points(u, v)
        np.testing.assert_allclose(world.distance(points), 0.0, atol=1e-6)
        assert np.all(world.distance(points + 0.05 * face.normal) > 0.0)
        assert np.all(world.distance(points - 0.05 * face.normal) < 0.0)
        in_face = face.in_face(points)
        np.testing.assert_allclose(in_face[:, :2], np.stack([u, v], axis=1), atol=1e-9)
        np.testing.assert_allclose(in_face[:, 2], face.surface(u, v), atol=1e-9)
        np.testing.assert_allclose(np.cross(face.along, face.up), face.normal, atol=1e-12)
    x, y = random.uniform(-2, 12, 200), random.uniform(-2, 2, 200)
    np.testing.assert_allclose(
        world.distance(np.stack([x, y, SMALL.floor_height(x, y)], axis=1)), 0.0, atol=1e-6
    )


def test_the_floor_slopes_and_pillars_stand_upright_in_it(random):
    mine = replace(SMALL, slope=np.radians(8.0), floor_roughness=0.05)
    world = tl.World.of_mine(mine)
    x, y = random.uniform(-2, 12, 300), random.uniform(-2, 1.5, 300)
    height = mine.floor_height(x, y)
    np.testing.assert_allclose(world.distance(np.stack([x, y, height], axis=1)), 0.0, atol=1e-6)
    assert np.polyfit(x, height, 1)[0] == pytest.approx(np.tan(np.radians(8.0)), abs=0.02)
    # Straight up it is `height` to the ceiling, along the whole slope.
    up = world.raycast(np.stack([x, y, height + 0.5], axis=1), (0.0, 0.0, 1.0), 20.0) + 0.5
    assert up.mean() == pytest.approx(mine.height, abs=0.05) and np.ptp(up) < 0.8
    # No gap between pillar and floor.
    for face in mine.faces:
        foot = face.points(np.linspace(0.5, face.width - 0.5, 20), np.zeros(20)) - 0.3 * face.normal
        assert np.all(world.distance(np.stack([*foot.T[:2], mine.floor_height(*foot.T[:2])], axis=1)) < 0.0)


def test_a_mine_is_made_from_its_seed_alone():
    again, other = replace(SMALL), replace(SMALL, seed=6)
    for a, b, c in zip(SMALL.faces, again.faces, other.faces, strict=True):
        np.testing.assert_array_equal(a.relief.heights, b.relief.heights)
        assert a.width != c.width or not np.array_equal(a.relief.heights, c.relief.heights)
    larger = replace(SMALL, rows=2, columns=2)
    for face in SMALL.faces:
        np.testing.assert_array_equal(face.relief.heights, larger.face(face.pillar, face.side).relief.heights)
    heights = [face.relief.heights[:50, :50] for face in larger.faces]
    assert not any(np.array_equal(a, b) for a, b in itertools.combinations(heights, 2))


def test_a_spall_takes_its_patch_away_and_nothing_else(random):
    spall = tl.Spall(pillar="pillar_1", side="north", along=2.0, up=1.5, width=0.6, depth=0.2)
    before, after = SMALL, SMALL.with_spalls([spall])
    for a, b in zip(before.faces, after.faces, strict=True):
        if a.side != "north":
            np.testing.assert_array_equal(a.relief.heights, b.relief.heights)
    a, b = before.face("pillar_1", "north"), after.face("pillar_1", "north")
    assert a.spalls == () and b.spalls == (spall,)
    u, v = random.uniform(0, a.width, 20_000), random.uniform(0, a.height, 20_000)
    lost = a.surface(u, v) - b.surface(u, v)
    far = np.hypot(u - 2.0, v - 1.5)
    np.testing.assert_array_equal(lost[far > 0.7 * 0.6 + 2.2 * SMALL.spacing], 0.0)
    np.testing.assert_allclose(lost[far < 0.15], 0.2, atol=1e-3)
    assert np.median(lost[np.abs(far - 0.3) < 0.02]) == pytest.approx(0.1, abs=0.01)
    np.testing.assert_array_equal(before.floor.heights, after.floor.heights)
    # The world feels it: a ray into the middle goes that much farther.
    origin = a.points(2.0, 1.5) + a.normal
    reach = [tl.World.of_mine(mine).raycast(origin, -a.normal, 5.0) for mine in (before, after)]
    assert reach[1] - reach[0] == pytest.approx(0.2, abs=1e-3)


def test_drawn_spalls_lie_in_their_faces_and_apart(random):
    spalls = SMALL.draw_spalls(seed=3, per_face=3)
    assert spalls == SMALL.draw_spalls(seed=3, per_face=3) != SMALL.draw_spalls(seed=4, per_face=3)
    assert len(spalls) > 8
    SMALL.with_spalls(spalls)
    for a, b in itertools.combinations(spalls, 2):
        if a.side == b.side:
            assert np.hypot(a.along - b.along, a.up - b.up) > 0.7 * (a.width + b.width)


def test_the_route_passes_every_face_in_straight_lines_with_room(random):
    mine = replace(SMALL, rows=2, columns=2)
    world = tl.World.of_mine(mine)
    route = mine.route(stand_off=2.0, stops_per_face=2)
    stops = [waypoint for waypoint in route if waypoint.face is not None]
    assert len(stops) == 2 * len(mine.faces)
    assert {(s.face.pillar, s.face.side) for s in stops} == {(f.pillar, f.side) for f in mine.faces}
    for stop in stops:
        u, _, away = stop.face.in_face(stop.position)
        assert away == pytest.approx(2.0, abs=1e-9) and 0.0 < u < stop.face.width
        assert abs(
            np.cos(stop.yaw) * stop.face.along[0] + np.sin(stop.yaw) * stop.face.along[1]
        ) == pytest.approx(1.0)
    place = np.zeros(3)
    for waypoint in route:
        way = place + np.linspace(0.0, 1.0, 50)[:, None] * (waypoint.position - place) + (0.0, 0.0, 1.0)
        assert world.distance(way).min() > 0.7
        ahead = waypoint.position - place
        assert np.arctan2(ahead[1], ahead[0]) == pytest.approx(waypoint.yaw)
        place = waypoint.position


def test_a_mine_is_written_and_read(tmp_path, random):
    mine = SMALL.with_spalls(SMALL.draw_spalls(seed=1))
    world = tl.World.of_mine(
        mine, [tl.shapes.Sphere(center=(0, 0, 1), radius=0.2, name="ball")], illuminance=3.0
    )
    world.place("ball", position=(0.5, 0.0, 0.0))
    world.save(tmp_path / "mine.yaml")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.yaml"]
    again = tl.World.load(tmp_path / "mine.yaml")
    points = random.uniform((-2, -2, -1), (15, 15, 5), (2000, 3))
    np.testing.assert_allclose(again.distance(points), world.distance(points), atol=1e-12)
    assert again.illuminance == 3.0 and again.mine.spalls == mine.spalls
    assert tl.World.from_dict({"mine": {"pillar_m": [6, 6], "entry_m": 5}}).illuminance == 0.0
    assert tl.World.ground().illuminance > 1000.0
    more = world.with_objects([tl.shapes.Sphere(center=(0, 0, 2), radius=0.1)])
    assert more.mine is mine and more.illuminance == 3.0


def test_a_relief_is_written_beside_the_world(tmp_path, random):
    world = tl.World([SMALL.faces[1].relief, *SMALL.shapes[2:]])
    world.save(tmp_path / "rock.yaml")
    again = tl.World.load(tmp_path / "rock.yaml")
    points = random.uniform((-2, -2, -1), (15, 15, 5), (2000, 3))
    np.testing.assert_array_equal(again.distance(points), world.distance(points))


def spalled(**changes):
    spall = {"pillar": "pillar_1", "side": "east", "along_m": 2, "up_m": 1, "width_m": 0.5, "depth_m": 0.1}
    return spall | changes


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"sed": 3}, "mine.sed: unknown key. Did you mean 'seed'"),
        ({"rows": 0}, "rows must be an integer >= 1"),
        ({"pillar_m": [1, 1]}, "pillar_m must leave 2 m"),
        ({"entry_m": 0.5}, "entry_m must be wider"),
        ({"slope_deg": 40}, "slope_deg must be between"),
        ({"finest_m": 0.1}, "finest_m must be at least four samples"),
        ({"spalls": [{"pillar": "pillar_1", "side": "north"}]}, r"mine.spalls\[0\].depth_m: missing"),
        ({"spalls": [spalled(pillar="pillar_2")]}, "no pillar 'pillar_2'"),
        ({"spalls": [spalled(side="up")]}, "side must be one of east"),
        ({"spalls": [spalled(along_m=90)]}, "must lie within the face"),
        ({"spalls": [spalled(width_m=0.1)]}, "width must be at least five samples"),
    ],
)
def test_what_is_no_mine_is_refused_in_a_sentence(data, words):
    with pytest.raises(tl.InputError, match=words):
        tl.World.from_dict({"mine": data})


def test_unknown_faces_and_roads_without_room_are_refused():
    with pytest.raises(tl.InputError, match="no face 'pillar_1 up'"):
        SMALL.face("pillar_1", "up")
    with pytest.raises(tl.InputError, match="stand_off must leave room"):
        SMALL.route(0.1)
