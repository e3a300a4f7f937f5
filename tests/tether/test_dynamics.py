"""The chain in free space: closed forms, what is conserved, symmetry, and the time step."""

import math

import numpy as np
import pytest
from tether_scenes import (
    SLACK,
    book,
    circle,
    leaning_line,
    make_spec,
    momentum,
    node_masses,
    observed_order,
    run,
)

import tetherlab as tl
from analytical import (
    GRAVITY,
    drag_per_length,
    streaming_angle,
    yaw_matrix,
)

# ---------------------------------------------------------------- closed forms


@pytest.mark.parametrize("gravity", [9.80665, 3.71, 0.0])
def test_a_released_tether_falls_freely_and_keeps_its_shape(gravity):
    tether = leaning_line(0.7, world=tl.World(gravity=gravity))
    start = tether.nodes
    tether.release("base")
    tether.release("end")
    run(tether, 1.0)
    # The midpoint rule is exact for constant acceleration.
    assert np.allclose(tether.nodes, start - (0.0, 0.0, 0.5 * gravity), rtol=0, atol=1e-9)
    assert np.allclose(tether.velocities, (0.0, 0.0, -gravity), rtol=0, atol=1e-9)


@pytest.mark.parametrize("gravity", [9.80665, 3.71])
def test_a_hanging_weight_loads_the_base_with_all_weight(gravity):
    tether = leaning_line(
        0.0, spec=make_spec(axial_damping=200.0), world=tl.World(gravity=gravity), end_body=tl.PointMass(2.0)
    )
    forces = run(tether, 15.0, 0.05)
    weight = (2.0 + 0.05 * 3.0) * gravity
    assert np.allclose(forces.on_base, (0.0, 0.0, -weight), rtol=0, atol=1e-6 * weight)
    assert np.allclose(forces.on_end, (0.0, 0.0, 2.0 * gravity), rtol=0, atol=1e-6 * weight)
    # Element j carries what hangs below its middle.
    below = 2.0 + 0.05 * (3.0 - 0.1 * (np.arange(30) + 0.5))
    assert np.allclose(tether.tensions, below * gravity, rtol=1e-6)


def test_a_taut_line_pulls_with_stiffness_times_strain():
    tether = tl.Tether(
        make_spec(axial_stiffness=2e4),
        base=(0, 0, 0),
        end=(2.02, 0, 0),
        length=2.0,
        world=tl.World(gravity=0.0),
    )
    forces = run(tether, 0.1)
    assert np.allclose(tether.tensions, 200.0, rtol=1e-8)
    assert np.allclose(forces.on_base, (200.0, 0.0, 0.0), rtol=0, atol=1e-6)
    assert np.allclose(forces.on_end, (-200.0, 0.0, 0.0), rtol=0, atol=1e-6)


def test_a_line_that_is_stretched_slowly_adds_its_damping():
    spec = make_spec(axial_stiffness=1e3, axial_damping=50.0, linear_density=1e-3)
    tether = tl.Tether(spec, base=(0, 0, 0), end=(1, 0, 0), length=1.0, world=tl.World(gravity=0.0))
    for k in range(100):
        forces = tether.step(0.01, end=(1.0 + 0.001 * (k + 1), 0, 0))
    # Mean strain of the last call 0.0995, strain rate 0.1 / s.
    assert forces.on_end[0] == pytest.approx(-(99.5 + 5.0), rel=1e-3)


def test_the_lumped_tether_converges_to_the_catenary_with_order_2():
    curve = tl.ElasticCatenary.between((0, 0, 0), (2, 0, 0.5), 3.0, linear_density=0.05, axial_stiffness=1e4)
    exact = curve.end_forces().on_base
    lengths, errors = np.array([0.3, 0.15, 0.075]), []
    for element_length in lengths:
        spec = make_spec(drag_coefficient=300.0, axial_damping=200.0)
        tether = tl.Tether(spec, base=(0, 0, 0), end=(2, 0, 0.5), length=3.0, element_length=element_length)
        errors.append(np.linalg.norm(run(tether, 200.0, 1.0).on_base - exact))
    assert errors[-1] < 2e-3 * np.linalg.norm(exact)
    assert observed_order(lengths, errors) == pytest.approx(2.0, abs=0.1)


# ---------------------------------------------------------------- wind


def taut_in_wind(velocity, air_density=1.225, **coefficients):
    """Mean total force on the holders of a taut line along x, when all is quiet."""
    spec = make_spec(linear_density=0.02, axial_damping=200.0, **coefficients)
    tether = tl.Tether(
        spec, base=(0, 0, 0), end=(2.04, 0, 0), length=2.0,
        world=tl.World(gravity=0.0, air_density=air_density), wind=tl.Wind.uniform(velocity),
    )  # fmt: skip
    forces = run(tether, 10.0, 0.1)
    return forces.on_base + forces.on_end


def test_wind_across_a_line_pushes_with_the_drag_of_a_cylinder():
    # The line bows by wL / 8T = 0.2 % of its slope, so the projected length is that at rest.
    force = taut_in_wind((0.0, 10.0, 0.0), drag_coefficient=1.2)
    assert np.allclose(force, (0.0, 2.0 * drag_per_length(1.2, 0.008, 10.0), 0.0), rtol=0, atol=1e-4)


def test_wind_along_a_line_pushes_with_its_tangential_drag():
    force = taut_in_wind((10.0, 0.0, 0.0), drag_coefficient=1.2, drag_coefficient_tangential=0.02)
    assert np.allclose(force, (2.0 * drag_per_length(0.02, 0.008, 10.0), 0.0, 0.0), rtol=0, atol=1e-6)


def test_oblique_wind_acts_by_its_two_components():
    force = taut_in_wind((8.0, 0.0, -6.0), drag_coefficient=1.2, drag_coefficient_tangential=0.5)
    exact = (2.0 * drag_per_length(0.5, 0.008, 8.0), 0.0, -2.0 * drag_per_length(1.2, 0.008, 6.0))
    assert np.allclose(force, exact, rtol=0, atol=2e-4)


@pytest.mark.parametrize("air_density", [4.9, 0.0])
def test_drag_grows_with_the_density_of_the_air(air_density):
    force = taut_in_wind((0.0, 10.0, 0.0), air_density, drag_coefficient=1.2)
    exact = 2.0 * drag_per_length(1.2, 0.008, 10.0) * air_density / 1.225
    assert np.allclose(force, (0.0, exact, 0.0), rtol=1e-3, atol=1e-6)


def test_a_free_tether_streams_in_the_wind_at_the_angle_where_drag_balances_weight():
    spec = make_spec(linear_density=0.02, drag_coefficient=1.2)
    angle = streaming_angle(0.02, 1.2, 0.008, 6.0)
    tether = leaning_line(angle + 0.2, spec=spec, wind=tl.Wind.uniform((6.0, 0.0, 0.0)))
    tether.release("end")
    run(tether, 20.0, 0.1)
    seen = np.arctan2(tether.nodes[1:, 0], -tether.nodes[1:, 2])
    assert 0.5 < angle < 1.2
    assert np.allclose(seen, angle, rtol=0, atol=2e-4)


def test_a_free_line_is_carried_off_by_a_wind_across_it():
    spec = make_spec(drag_coefficient=1.2)
    world = tl.World(gravity=0.0, wind=tl.Wind.uniform((0.0, 5.0, 0.0)))
    tether = leaning_line(0.5, spec=spec, world=world)
    tether.release("base")
    tether.release("end")
    run(tether, 3.0)
    # w' = -k w^2 for the speed w relative to the air, k = drag / (density speed^2).
    k = drag_per_length(1.2, 0.008, 1.0) / 0.05
    left = 5.0 / (1.0 + 5.0 * k * 3.0)
    assert left < 2.5
    assert np.allclose(tether.velocities, (0.0, 5.0 - left, 0.0), rtol=0, atol=1e-4)


# ---------------------------------------------------------------- energy


@pytest.mark.parametrize("stiffness", [1e3, 1e4])
def test_a_swing_without_losses_keeps_its_energy(stiffness):
    tether = leaning_line(1.0, spec=make_spec(axial_stiffness=stiffness, axial_damping=0.0))
    tether.release("end")
    start = tether.energy.total
    scale = 0.15 * GRAVITY * 1.5 * (1.0 - math.cos(1.0))  # what the swing exchanges
    for _ in range(500):
        tether.step(0.01)
        assert tether.energy.total == pytest.approx(start, abs=2e-4 * scale)
    assert tether.energy.dissipated == 0.0
    assert tether.energy.work == 0.0


def still(k):
    return {}


@pytest.mark.parametrize(
    ("spec", "options", "free", "command"),
    [
        pytest.param({"axial_damping": 50.0}, {}, True, still, id="axial damping"),
        pytest.param(
            {"drag_coefficient": 1.2, "drag_coefficient_tangential": 0.1}, {}, True, still, id="drag"
        ),
        pytest.param(
            {"drag_coefficient": 1.2}, {"wind": tl.Wind.uniform((5.0, 2.0, 0.0))}, True, still, id="wind"
        ),
        pytest.param({}, {}, False, circle, id="moving end"),
    ],
)
def test_the_energy_book_closes(spec, options, free, command):
    tether = tl.Tether(make_spec(**spec), **SLACK, **options)
    if free:
        tether.release("end")
    start, worst, scale = book(tether), 0.0, 0.0
    for k in range(300):
        tether.step(0.01, **command(k))
        energy = tether.energy
        worst = max(worst, abs(book(tether) - start))
        scale = max(scale, energy.kinetic, abs(energy.dissipated), abs(energy.work))
    assert energy.dissipated > 10.0 * worst, "too little was lost for the test to say anything"
    assert worst < 1e-3 * scale  # Newton stops at corrections of sqrt(1e-7 l) m, which leaves this much


# ---------------------------------------------------------------- Newton's third law


@pytest.mark.parametrize("free", [(), ("end",), ("base", "end")], ids=["held", "free end", "free"])
def test_momentum_changes_by_weight_less_what_the_holders_feel(free):
    tether = tl.Tether(make_spec(), **SLACK)
    for end in free:
        tether.release(end)
    weight = np.array((0.0, 0.0, -0.05 * 3.0 * GRAVITY))
    before = momentum(tether)
    for k in range(100):
        forces = tether.step(0.01, **({} if free else circle(k)))
        after = momentum(tether)
        expected = 0.01 * (weight - forces.on_base - forces.on_end)
        # What Newton leaves: 4 mN, of tensions of some newtons.
        assert np.allclose(after - before, expected, rtol=0, atol=4e-5 + 1e-3 * np.abs(expected).max())
        before = after


def test_at_rest_in_a_wind_the_holders_carry_weight_and_drag():
    spec, wind = make_spec(drag_coefficient=1.2, drag_coefficient_tangential=0.2), np.array((1.0, 4.0, 0.0))
    tether = tl.Tether(spec, **SLACK, wind=tl.Wind.uniform(wind))
    forces = run(tether, 60.0, 0.5)
    x = tether.nodes
    tangents = np.concatenate([x[1:2] - x[:1], x[2:] - x[:-2], x[-1:] - x[-2:-1]])
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    along = (tangents @ wind)[:, None] * tangents
    across = wind - along
    per_length = drag_per_length(1.2, 0.008, 1.0) * np.linalg.norm(across, axis=1)[:, None] * across
    per_length += drag_per_length(0.2, 0.008, 1.0) * np.linalg.norm(along, axis=1)[:, None] * along
    drag = node_masses(tether) / 0.05 @ per_length
    expected = drag - 0.15 * GRAVITY * np.eye(3)[2]
    assert np.allclose(forces.on_base + forces.on_end, expected, rtol=0, atol=1e-4)


# ---------------------------------------------------------------- symmetry


def wobble(tether, move=lambda p: p, turn=lambda v: v, swapped=False, steps=100):
    """Drive the end (or the base) on a curve that `move` and `turn` carry elsewhere."""
    moving = "base" if swapped else "end"
    for k in range(steps):
        t = 0.01 * (k + 1)
        point = np.array((2.0 + 0.3 * math.sin(5 * t), 0.2 * t * t, 0.3 * math.sin(3 * t)))
        speed = np.array((1.5 * math.cos(5 * t), 0.4 * t, 0.9 * math.cos(3 * t)))
        forces = tether.step(0.01, **{moving: move(point), f"{moving}_velocity": turn(speed)})
    return forces


def as_it_is(vector):
    return np.asarray(vector, dtype=float)


def in_free_air(move=as_it_is, turn=as_it_is, swapped=False):
    """A slack tether in a wind, carried elsewhere."""
    base, end = move((0.0, 0.0, 0.0)), move((2.0, 0.0, 0.0))
    return tl.Tether(
        make_spec(drag_coefficient=1.2, bending_stiffness=1e-3),
        base=end if swapped else base,
        end=base if swapped else end,
        length=2.6,
        wind=tl.Wind.uniform(turn((1.0, 2.0, 0.0))),
    )


def over_a_pole(move=as_it_is, turn=as_it_is, swapped=False):
    """A slack tether in a wind that hangs over a pole, all carried elsewhere."""
    start, end = move((1.0, -1.0, -0.5)), move((1.0, 1.0, -0.5))
    world = tl.World([tl.shapes.Capsule(start=start, end=end, radius=0.1, name="pole")])
    way = np.array(
        [(0, 0, 0), (0.5, 0, -0.6), (0.8, 0, -0.36), (1.2, 0, -0.36), (1.5, 0, -0.6), (2, 0, 0)], float
    )
    shape = np.array([move(p) for p in way])[:: -1 if swapped else 1]
    return tl.Tether(
        make_spec(drag_coefficient=1.2, bending_stiffness=1e-3),
        base=shape[0],
        end=shape[-1],
        length=float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum()),
        shape=shape,
        world=world,
        wind=tl.Wind.uniform(turn((1.0, 2.0, 0.0))),
    )


YAW = yaw_matrix(2.1)
OFFSET = np.array((30.0, -20.0, 7.0))
MIRROR = np.diag((1.0, -1.0, 1.0))
NOT_YET = pytest.mark.xfail(strict=True, reason="in contact the answer depends on the order of nodes")


@pytest.mark.filterwarnings("ignore:.*shape is too")
@pytest.mark.parametrize(
    ("scene", "move", "turn"),
    [
        pytest.param(
            in_free_air, lambda p: YAW @ p + OFFSET, lambda v: YAW @ v, id="yaw and shift in free air"
        ),
        pytest.param(in_free_air, lambda p: MIRROR @ p, lambda v: MIRROR @ v, id="mirror in free air"),
        pytest.param(over_a_pole, lambda p: p + OFFSET, as_it_is, id="shift over a pole"),
        pytest.param(over_a_pole, lambda p: MIRROR @ p, lambda v: MIRROR @ v, id="mirror over a pole"),
        pytest.param(over_a_pole, lambda p: YAW @ p, lambda v: YAW @ v, id="yaw over a pole"),
    ],
)
def test_carrying_the_whole_scene_elsewhere_carries_the_answer(scene, move, turn):
    here, there = scene(), scene(move, turn)
    # 0.6 s: in contact, rounding grows a thousandfold each half second.
    forces = wobble(here, steps=60), wobble(there, move, turn, steps=60)
    assert bool(here.contacts) == (scene is over_a_pole)
    assert np.allclose([move(p) for p in here.nodes], there.nodes, rtol=0, atol=1e-9)
    assert np.allclose([turn(v) for v in here.velocities], there.velocities, rtol=0, atol=1e-7)
    assert np.allclose(turn(forces[0].on_end), forces[1].on_end, rtol=0, atol=1e-6)


@pytest.mark.parametrize("scene", [in_free_air, pytest.param(over_a_pole, marks=NOT_YET)])
def test_swapping_the_ends_swaps_the_answer(scene):
    here, there = scene(), scene(swapped=True)
    forces = wobble(here, steps=60), wobble(there, swapped=True, steps=60)
    assert np.allclose(here.nodes, there.nodes[::-1], rtol=0, atol=1e-9)
    assert np.allclose(forces[0].on_end, forces[1].on_base, rtol=0, atol=1e-6)
    assert np.allclose(forces[0].on_base, forces[1].on_end, rtol=0, atol=1e-6)
    assert np.allclose(here.tensions, there.tensions[::-1], rtol=0, atol=1e-6)


# ---------------------------------------------------------------- time


def test_the_error_falls_with_the_square_of_the_step():
    def nodes(step):
        spec = make_spec(axial_stiffness=200.0, axial_damping=2.0, drag_coefficient=1.2)
        tether = tl.Tether(spec, **SLACK, step_max=step)
        for k in range(25):
            a = 0.08 * math.pi * (k + 1)
            tether.step(
                0.04,
                end=(2.0 + 0.1 * (1 - math.cos(a)), 0, 0),
                end_velocity=(0.2 * math.pi * math.sin(a), 0, 0),
            )
        return tether.nodes

    exact = nodes(0.04 / 256)
    steps = np.array([0.005, 0.0025, 0.00125])
    errors = [np.abs(nodes(h) - exact).max() for h in steps]
    assert observed_order(steps, errors) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("dt", [1.0, 0.1, 0.005])
def test_calls_of_any_length_agree_when_the_internal_step_is_the_same(dt):
    def after_one_second(dt):
        tether = leaning_line(0.8)
        tether.release("end")
        run(tether, 1.0, dt)
        return tether

    tether, twin = after_one_second(dt), after_one_second(0.01)
    assert tether.time == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(tether.nodes, twin.nodes, rtol=0, atol=1e-9)


def test_calls_of_10_microseconds_agree_with_calls_of_5_milliseconds():
    fine, coarse = leaning_line(0.8), leaning_line(0.8)
    for tether, dt in ((fine, 1e-5), (coarse, 5e-3)):
        tether.release("end")
        run(tether, 0.05, dt)
    assert np.allclose(fine.nodes, coarse.nodes, rtol=0, atol=1e-4)
    assert np.allclose(fine.velocities, coarse.velocities, rtol=0, atol=2e-2)
    assert abs(fine.nodes[-1] - leaning_line(0.8).nodes[-1]).max() > 1e-3, "it should have moved"


def test_a_prescribed_end_arrives_with_position_and_velocity():
    tether = tl.Tether(make_spec(), **SLACK)
    tether.step(0.1, end=(2.05, 0.1, 0.02), end_velocity=(1.0, -2.0, 0.5))
    assert np.allclose(tether.nodes[-1], (2.05, 0.1, 0.02), rtol=0, atol=1e-12)
    assert np.allclose(tether.velocities[-1], (1.0, -2.0, 0.5), rtol=0, atol=1e-12)
    tether.step(0.1, end=(2.15, 0.1, 0.02))
    assert np.allclose(tether.velocities[-1], (1.0, 0.0, 0.0), rtol=0, atol=1e-12)
    tether.step(0.1)
    assert np.allclose(tether.nodes[-1], (2.15, 0.1, 0.02), rtol=0, atol=1e-12)
    assert np.allclose(tether.velocities[-1], 0.0, rtol=0, atol=1e-12)


def test_between_calls_the_end_moves_on_the_cubic():
    whole, halves = tl.Tether(make_spec(), **SLACK), tl.Tether(make_spec(), **SLACK)
    p0, v0 = np.array((2.0, 0.0, 0.0)), np.zeros(3)
    p1, v1 = np.array((2.05, 0.1, 0.02)), np.array((1.0, -2.0, 0.5))
    middle = 0.5 * (p0 + p1) + 0.1 * (v0 - v1) / 8.0
    rate = 1.5 * (p1 - p0) / 0.1 - 0.25 * (v0 + v1)
    one = whole.step(0.1, end=p1, end_velocity=v1)
    first = halves.step(0.05, end=middle, end_velocity=rate)
    second = halves.step(0.05, end=p1, end_velocity=v1)
    assert np.allclose(whole.nodes, halves.nodes, rtol=0, atol=1e-9)
    assert np.allclose(one.on_end, 0.5 * (first.on_end + second.on_end), rtol=0, atol=1e-6)


# ---------------------------------------------------------------- copies and repetition


@pytest.mark.filterwarnings("ignore:.*shape is too")
def test_a_copy_continues_with_the_same_bits_and_is_independent():
    tether = over_a_pole()
    wobble(tether, steps=60)
    twin = tether.copy()
    frozen = twin.nodes
    ahead = wobble(tether, steps=40)
    assert np.array_equal(twin.nodes, frozen), "stepping one must not move the other"
    behind = wobble(twin, steps=40)
    assert np.array_equal(tether.nodes, twin.nodes)
    assert np.array_equal(tether.velocities, twin.velocities)
    assert np.array_equal(ahead.on_end, behind.on_end)
    assert tether.energy == twin.energy


@pytest.mark.filterwarnings("ignore:.*shape is too")
def test_the_same_calls_give_the_same_bits():
    one, two = over_a_pole(), over_a_pole()
    wobble(one)
    wobble(two)
    assert np.array_equal(one.nodes, two.nodes)
    assert np.array_equal(one.velocities, two.velocities)
