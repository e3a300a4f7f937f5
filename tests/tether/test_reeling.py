"""Reeling at the base: length, mass, force, and the whole range of a winch."""

import numpy as np
import pytest
from tether_scenes import book, make_spec, run

import tetherlab as tl
from analytical import GRAVITY
from tetherlab.tether.reel import fade


def directions(random, count):
    """Random unit vectors, each within about a right angle of the one before."""
    v = random.normal(size=3)
    rows = []
    for _ in range(count):
        v = v / np.linalg.norm(v) + 0.6 * random.normal(size=3)
        rows.append(v / np.linalg.norm(v))
    return np.array(rows)


def rest_lengths(tether):
    return tether._state.rest[: len(tether.nodes) - 1]


def hanging(length, mass=1.0, **options):
    """A weight on a damped tether below the winch at the origin."""
    spec = make_spec(axial_damping=100.0, **options)
    return tl.Tether(spec, base=(0, 0, 0), end=(0, 0, -length), length=length, end_body=tl.PointMass(mass))


@pytest.mark.parametrize("speed", [0.5, -0.5, 3.0, -3.0])
def test_the_paid_out_length_is_the_integral_of_the_reel_speed(speed):
    tether = hanging(8.0)
    for k in range(200):
        tether.step(0.01, reel_speed=speed)
        assert tether.length == pytest.approx(8.0 + speed * 0.01 * (k + 1), abs=1e-9)
        assert rest_lengths(tether).sum() == pytest.approx(tether.length, abs=1e-9)
        assert (rest_lengths(tether) > 0.0).all()


def test_elements_keep_an_ordinary_length_while_reeling():
    tether = hanging(4.0)
    for speed in (0.7, -0.9):
        for _ in range(300):
            tether.step(0.01, reel_speed=speed)
            rest = rest_lengths(tether)
            assert rest[1:] == pytest.approx(0.1, rel=0.01)
            assert 0.04 < rest[0] < 0.161


@pytest.mark.parametrize("speed", [0.5, -0.5])
def test_a_weight_moves_with_the_reel_speed_and_loads_the_base_with_all_that_hangs(speed):
    tether = hanging(4.0, mass=2.0)
    run(tether, 1.0)
    for k in range(200):
        forces = tether.step(0.01, reel_speed=speed * min(1.0, 0.02 * k))
    assert tether.velocities[-1, 2] == pytest.approx(-speed, rel=0.02)
    assert forces.on_base[2] == pytest.approx(-(2.0 + 0.05 * tether.length) * GRAVITY, rel=0.01)


def test_a_slack_tether_reeled_out_and_in_rests_as_if_it_had_never_been():
    fresh = tl.Tether(
        make_spec(drag_coefficient=100.0, axial_damping=100.0), base=(0, 0, 0), end=(2, 0, 0), length=4.0
    )
    reeled = fresh.copy()
    run(reeled, 2.0, reel_speed=1.0)
    run(reeled, 2.0, reel_speed=-1.0)
    exact, seen = run(fresh, 100.0, 0.5), run(reeled, 100.0, 0.5)
    assert reeled.length == pytest.approx(4.0, abs=1e-9)
    assert np.allclose(seen.on_base, exact.on_base, rtol=0, atol=2e-3)
    assert np.allclose(seen.on_end, exact.on_end, rtol=0, atol=2e-3)


@pytest.mark.parametrize("element_length", [0.2, 0.1])
def test_a_winch_goes_from_5_cm_to_18_m_and_back_at_3_m_per_s(element_length):
    tether = tl.Tether(
        make_spec(axial_damping=50.0, drag_coefficient=1.2), base=(0, 0, 0), end=(0, 0, -0.05), length=0.05,
        element_length=element_length, end_body=tl.PointMass(2.0),
    )  # fmt: skip
    longest = 0.0
    speed = 0.0
    for _ in range(2000):
        wanted = 3.0
        if longest > 17.3:
            wanted = -min(3.0, 4.0 * (tether.length - 0.04))
        speed += np.clip(wanted - speed, -0.06, 0.06)
        tether.step(0.01, reel_speed=speed)
        longest = max(longest, tether.length)
        if longest > 17.3 and tether.length < 0.06:
            break
    assert longest > 18.0
    assert tether.length < 0.06
    run(tether, 1.0)
    assert np.abs(np.linalg.norm(tether.nodes[-1])) < 0.1
    assert rest_lengths(tether).sum() == pytest.approx(tether.length, abs=1e-9)


def test_paying_out_much_in_one_call_makes_room_for_the_new_nodes():
    tether = hanging(1.0)
    room = len(tether._state.rest)
    tether.step(5.0, reel_speed=2.0)
    assert len(tether._state.rest) > room
    assert tether.length == pytest.approx(11.0, abs=1e-9)
    assert len(tether.nodes) == pytest.approx(111, abs=2)
    assert np.isfinite(tether.nodes).all()


def test_a_reeled_copy_does_not_share_memory():
    tether = hanging(1.0)
    twin = tether.copy()
    tether.step(5.0, reel_speed=2.0)
    assert twin.length == 1.0
    assert len(twin.nodes) == 11
    twin.step(5.0, reel_speed=2.0)
    assert np.array_equal(twin.nodes, tether.nodes)


@pytest.mark.parametrize("speed", [0.5, -0.5])
def test_the_force_does_not_jump_where_nodes_come_and_go(speed):
    tether = tl.Tether(make_spec(), base=(0, 0, 0), end=(6, 0, 0), length=9.0)
    run(tether, 2.0)
    seen, counts = [], []
    for k in range(1000):
        forces = tether.step(0.002, reel_speed=speed * min(1.0, k / 200))
        seen.append(np.linalg.norm(forces.on_base))
        counts.append(len(tether.nodes))
    seen, events = np.array(seen), np.flatnonzero(np.diff(counts))
    events = events[(events > 300) & (events < 990)]
    jumps = [
        abs(seen[e + 1] - seen[e] - 0.5 * ((seen[e] - seen[e - 3]) + (seen[e + 4] - seen[e + 1])) / 3.0)
        for e in events
    ]
    assert len(jumps) >= 5
    assert max(jumps) < 0.05


@pytest.mark.parametrize("speed", [0.5, -0.5])
@pytest.mark.parametrize("scene", ["taut", "slack"])
def test_the_energy_book_closes_while_reeling(scene, speed):
    if scene == "taut":
        tether = hanging(3.0)
    else:
        tether = tl.Tether(make_spec(), base=(0, 0, 0), end=(2, 0, 0), length=5.0)
    run(tether, 0.5)
    start, scale = book(tether), 0.0
    for _ in range(200):
        tether.step(0.01, reel_speed=speed)
        scale = max(scale, abs(tether.energy.work_winch), tether.energy.dissipated, tether.energy.kinetic)
    assert book(tether) == pytest.approx(start, abs=1e-3 * scale)


def reeled_while_carried(height=0.0, speed=3.0):
    """A tether with a weight, paid out while its winch is carried about and turns back at once."""
    tether = tl.Tether(
        make_spec(axial_damping=100.0), base=(0, 0, height), end=(0, 0, height - 2.0), length=2.0,
        element_length=0.1, end_body=tl.PointMass(0.1),
    )  # fmt: skip
    place = np.array([0.0, 0.0, height])
    for k in range(100):
        place = place + 0.005 * np.array([5.0 if k % 20 < 10 else -5.0, 0.0, 2.0])
        tether.step(0.005, base=place, reel_speed=speed)
    return tether


@pytest.mark.parametrize("speed", [3.0, -2.0])
def test_the_energy_book_closes_while_the_winch_is_carried_about(speed):
    # What the winch pays out has to be brought to the speed of the tether, and the hand's jerks are work.
    tether = reeled_while_carried(speed=speed)
    assert abs(tether.energy.work) + abs(tether.energy.work_winch) > 5.0
    at_start = -(0.1 * 2.0 + 0.05 * 2.0 * 1.0) * GRAVITY
    assert book(tether) == pytest.approx(at_start, abs=1e-4)


def test_the_work_of_the_winch_does_not_depend_on_where_zero_height_is():
    low, high = reeled_while_carried().energy, reeled_while_carried(height=1000.0).energy
    assert low.work_winch == pytest.approx(high.work_winch, rel=1e-5)
    assert low.work == pytest.approx(high.work, rel=1e-5)
    assert low.dissipated == pytest.approx(high.dissipated, rel=1e-5)


def hairpin(element_length=0.1, gap=0.04, length=4.0, **spec):
    """A slack tether between two ends close together, at rest."""
    tether = tl.Tether(
        make_spec(linear_density=0.0667, axial_damping=10.0, **spec), base=(0, 0, 0), end=(gap, 0, 0),
        length=length, element_length=element_length,
    )  # fmt: skip
    for _ in range(400):
        # The fold does not start at rest; what it swings is taken out by hand.
        tether.step(0.01)
        tether._state.v[:] *= 0.8
        tether._state.a[:] = 0.0
    tether._state.v[:] = 0.0
    return tether


def pull_at_the_winch(tether, speed, distance, ramp=2.0):
    """Tension at the winch [N] and the number of nodes, every 2 ms, while it speeds up and reels."""
    pulls, counts, reeled, pace = [], [], 0.0, 0.0
    while reeled < distance:
        pace = min(abs(speed), pace + 0.002 * ramp)
        reeled += 0.002 * pace
        forces = tether.step(0.002, reel_speed=np.copysign(pace, speed))
        pulls.append(np.linalg.norm(forces.on_base))
        counts.append(len(tether.nodes))
    return np.array(pulls), np.array(counts)


@pytest.mark.parametrize("element_length", [0.1, 0.05])
@pytest.mark.parametrize("speed", [0.5, -0.5])
def test_a_slack_fold_is_reeled_without_snatching(speed, element_length):
    # Half of the tether hangs at the winch. A chain that folds to a point snatches with ten times its weight.
    pulls, _ = pull_at_the_winch(hairpin(element_length), speed, 1.5)
    longest = 4.0 + max(0.0, 1.5 * np.sign(speed))
    assert pulls.max() < 3.0 * 0.5 * longest * 0.0667 * GRAVITY


@pytest.mark.parametrize("speed", [0.5, -0.5, -1.0])
def test_the_force_of_a_slack_fold_does_not_jump_where_nodes_come_and_go(speed):
    pulls, counts = pull_at_the_winch(hairpin(), speed, 1.5)
    events = np.flatnonzero(np.diff(counts))
    events = events[(events > 300) & (events < len(pulls) - 5)]
    change = np.diff(pulls)
    jumps = [
        abs(change[k] - np.mean([change[e - 3], change[e - 2], change[e + 3], change[e + 4]]))
        for e in events
        for k in (e, e + 1)
    ]
    assert len(events) >= 8
    assert max(jumps) < 0.05


def test_an_offset_fades_without_a_jump_of_its_rate():
    offset, drift = 1e-3, 0.02
    now, rate = fade(offset, drift, 1e-4, 0.1, 0.1)
    assert (now - offset) / 1e-4 == pytest.approx(drift, rel=0.1)
    for _ in range(10):
        now, rate = fade(now, rate, 0.05, 0.1, 0.1)
    assert abs(now) < 1e-5
    assert abs(rate) < 1e-3
    once = fade(offset, drift, 0.03, 0.10, 0.07)
    twice = fade(*fade(offset, drift, 0.01, 0.10, 0.09), 0.02, 0.09, 0.07)
    assert once == pytest.approx(twice, rel=1e-9)


def test_an_offset_leaves_with_the_tether_that_is_reeled_in_and_not_with_what_is_paid_out():
    still, _ = fade(1e-3, 0.0, 1e-6, 0.10, 0.10)
    assert fade(1e-3, 0.0, 1e-6, 0.10, 0.02)[0] == pytest.approx(0.2 * still)
    assert fade(1e-3, 0.0, 1e-6, 0.10, 0.15)[0] == still


@pytest.mark.parametrize("seed", range(3))
def test_a_crumpled_stiff_tether_is_reeled_in_without_effort(seed):
    random = np.random.default_rng(seed)
    spec = make_spec(axial_stiffness=2e6, linear_density=0.0035)
    shape = np.cumsum([(0, 0, 5), *0.034 * directions(random, 250)], axis=0)
    tether = tl.Tether(
        spec, base=shape[0], end=shape[-1], length=250 * 0.034, element_length=0.034, shape=shape
    )
    tether.release("end")
    for _ in range(100):
        tether.step(0.003, reel_speed=-2.6)
    assert abs(tether.energy.work_winch) < 0.5


@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_the_energy_book_of_a_reeled_fold_closes(speed):
    tether = hairpin()
    start, scale = book(tether), 0.0
    for _ in range(150):
        tether.step(0.01, reel_speed=speed)
        scale = max(scale, abs(tether.energy.work_winch))
    assert book(tether) == pytest.approx(start, abs=0.01 * scale)


@pytest.mark.parametrize("speed", [-6.0, -8.0])
def test_an_element_is_not_wound_up_to_a_stump_within_a_step(speed):
    """The work of the winch on a slack, soft tether is that of ten times shorter steps."""
    random = np.random.default_rng(4)
    spec = make_spec(axial_stiffness=2e3, axial_damping=2.0, linear_density=0.03)
    bends = directions(random, 36) + np.array((0.8, 0.0, 0.0))
    bends *= 0.1 / np.linalg.norm(bends, axis=1, keepdims=True)
    shape = np.cumsum([(0, 0, 2), *bends], axis=0)
    apart = float(np.linalg.norm(shape[-1] - shape[0]))
    works = []
    for step_max in (0.005, 0.0005):
        tether = tl.Tether(spec, base=shape[0], end=shape[-1], length=3.6, shape=shape, step_max=step_max)
        while tether.length + 0.01 * speed > 1.2 * apart:
            tether.step(0.01, reel_speed=speed)
        works.append(tether.energy.work_winch)
    assert works[0] == pytest.approx(works[1], rel=0.15)
