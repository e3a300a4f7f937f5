"""The winch on a bench: drum, servo, limits, encoder and the book of its power."""

import math

import pytest
from vehicle_scenes import bench_winch, reel_spec

import tetherlab as tl
from analytical import GRAVITY

SMOOTH = {"friction_torque": 0.0, "encoder_counts": 0}


def layered_radius(winch, length_out):
    """From area: what is wound fills a ring pi (R^2 - r^2) width = wound d^2; half a diameter on top."""
    spec = reel_spec()
    wound = winch.length_total - length_out
    ring = wound * winch.tether_diameter**2 / (math.pi * spec.drum_width)
    return math.sqrt(spec.drum_radius**2 + ring) + 0.5 * winch.tether_diameter


def test_a_full_drum_has_a_larger_radius():
    full, empty = bench_winch(length=200.0, paid_out=1.0), bench_winch(length=200.0, paid_out=199.0)
    for winch in (full, empty):
        winch.step(0.005, 0.0, speed=0.0)
        assert winch.radius == pytest.approx(layered_radius(winch, winch.length), rel=1e-12)
    assert full.radius > 1.05 * empty.radius


def test_the_drum_turns_by_the_integral_of_length_over_radius():
    winch = bench_winch(length=200.0, paid_out=1.0, step_max=0.02, **SMOOTH)
    winch.step(300.0, 5.0, speed=0.4)
    start, end = 1.0, winch.length
    count = 20000
    h = (end - start) / count
    exact = sum(h / layered_radius(winch, start + (i + 0.5) * h) for i in range(count))
    assert end > 110.0
    assert winch.angle == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize("target", [8.0, 2.0])
def test_the_length_servo_arrives_without_overshoot_and_without_error(target):
    winch = bench_winch(encoder_counts=0)
    start = winch.length
    for _ in range(3000):
        winch.step(0.005, 5.0, length=target)
        assert min(start, target) - 1e-3 < winch.length < max(start, target) + 1e-3
    assert winch.length == pytest.approx(target, abs=1e-6)
    assert winch.speed == pytest.approx(0.0, abs=1e-6)


def test_with_an_encoder_it_arrives_within_one_count():
    winch = bench_winch(encoder_counts=256)
    winch.step(15.0, 5.0, length=8.0)
    count = 2.0 * math.pi / 256 * winch.radius
    assert abs(winch.length - 8.0) <= count
    assert abs(winch.length_seen - winch.length) <= count


def test_the_encoder_moves_in_counts():
    winch = bench_winch(encoder_counts=64, friction_torque=0.0)
    seen = set()
    for _ in range(400):
        winch.step(0.005, 5.0, speed=0.1)
        seen.add(round(winch.length_seen, 4))  # a count is 14 mm; the radius drifts by micrometres
    turned = winch.angle / (2.0 * math.pi) * 64
    assert len(seen) == pytest.approx(turned, abs=2)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_speed_and_acceleration_stay_within_their_limits(direction):
    winch = bench_winch(paid_out=10.0)
    spec, before = reel_spec(), 0.0
    for _ in range(400):
        winch.step(0.005, 5.0, speed=5.0 * direction)
        assert abs(winch.speed) <= spec.speed_max + 1e-12
        assert abs(winch.speed - before) <= spec.acceleration_max * 0.005 + 1e-12
        before = winch.speed
    assert winch.speed == pytest.approx(direction * spec.speed_max)
    assert winch.limited == 1


def test_the_motors_speed_limits_the_tether():
    winch = bench_winch(motor_speed_max=10.0)
    winch.step(2.0, 5.0, speed=5.0)
    assert winch.speed == pytest.approx(10.0 / reel_spec().gear_ratio * winch.radius, rel=1e-3)


def test_the_motor_never_gives_more_than_its_torque():
    winch = bench_winch()
    spec = reel_spec()
    for pull in (0.0, 20.0, 60.0, 200.0):
        for _ in range(50):
            winch.step(0.005, pull, length=1.0)
            assert abs(winch.torque) <= spec.torque_max * (1.0 + 1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_pull_beyond_its_torque_draws_the_tether_out_against_motor_and_friction(friction):
    winch = bench_winch(friction_torque=friction, encoder_counts=0)
    winch.step(0.005, 0.0, length=5.0)
    spec, h = reel_spec(), 0.005
    r = winch.radius
    motor = spec.torque_max * spec.gear_ratio / r
    pull = motor + 20.0
    start = winch.speed
    for _ in range(40):
        winch.step(h, pull, length=5.0)
    mass = (spec.drum_inertia + spec.rotor_inertia * spec.gear_ratio**2) / r**2
    assert winch.limited == 1
    assert winch.speed - start == pytest.approx(40 * h * (20.0 - friction / r) / mass, rel=0.02)


def test_friction_holds_a_drum_that_is_pulled_by_less():
    winch = bench_winch(friction_torque=0.5, encoder_counts=0)
    spec = reel_spec()
    motor = spec.torque_max * spec.gear_ratio / (spec.drum_radius + 0.01)
    winch.step(1.0, motor + 0.5 * 0.5 / spec.drum_radius, length=5.0)
    assert winch.length == pytest.approx(5.0, abs=1e-6)


def test_what_is_wound_up_and_what_stays_out_end_its_way():
    winch = bench_winch(length=20.0, paid_out=19.5)
    winch.step(10.0, 5.0, speed=0.4)
    assert winch.length == pytest.approx(20.0, abs=1e-9)
    winch = bench_winch(length=20.0, paid_out=0.5)
    winch.step(10.0, 5.0, speed=-0.4)
    assert winch.length == pytest.approx(0.0, abs=1e-9)


def test_the_tension_servo_gives_and_takes_until_a_spring_has_its_tension():
    winch = bench_winch(encoder_counts=0)
    stiffness, anchored = 50.0, 5.2
    for _ in range(4000):
        winch.step(0.005, max(stiffness * (anchored - winch.length), 0.0), tension=6.0, stiffness=stiffness)
    assert stiffness * (anchored - winch.length) == pytest.approx(6.0, rel=1e-3)
    assert winch.speed == pytest.approx(0.0, abs=1e-4)


def test_the_sensor_sees_tension_through_its_filter():
    winch = bench_winch(tension_filter=0.2)
    for _ in range(60):
        winch.step(0.005, 7.0, speed=0.0)
    assert winch.tension_seen == pytest.approx(7.0 * (1.0 - math.exp(-60 * 0.005 / 0.2)), rel=1e-9)


@pytest.mark.parametrize("density", [0.0, 0.05])
def test_the_work_of_the_motor_is_that_of_the_tether_kinetic_energy_and_friction(density):
    winch = bench_winch(encoder_counts=0, friction_torque=0.3, density=density, step_max=0.001)
    spec, h = reel_spec(), 0.001
    motor = lifted = rubbed = 0.0
    for _ in range(1500):
        before = winch.speed
        winch.step(h, 12.0, speed=-0.3)
        mean = 0.5 * (before + winch.speed)
        motor += h * winch.power
        lifted += -h * 12.0 * winch.speed
        rubbed += h * 0.3 / winch.radius * abs(winch.speed)
        assert mean <= 0.0
    wound = winch.length_total - winch.length
    inertia = spec.drum_inertia + spec.rotor_inertia * spec.gear_ratio**2
    inertia += density * wound * 0.5 * (spec.drum_radius**2 + winch.radius**2)
    kinetic = 0.5 * inertia * (winch.speed / winch.radius) ** 2
    assert motor == pytest.approx(lifted + kinetic + rubbed, rel=2e-3)


def test_a_weight_on_a_real_tether_is_held_at_the_tension_of_its_weight():
    mass = 0.5
    winch = bench_winch(paid_out=2.0, encoder_counts=0)
    spec = tl.TetherSpec(linear_density=0.01, diameter=0.004, axial_stiffness=2e3, axial_damping=100.0)
    tether = tl.Tether(
        spec, base=(0, 0, 3), end=(0, 0, 1), length=2.0, element_length=0.5, end_body=tl.PointMass(mass)
    )
    pull = mass * GRAVITY
    for _ in range(600):
        winch.step(0.005, pull, tension=mass * GRAVITY + 0.01 * GRAVITY * winch.length, stiffness=1e3)
        forces = tether.step(0.005, base=(0, 0, 3), reel_speed=winch.speed)
        pull = -forces.on_base[2]
    assert pull == pytest.approx((mass + 0.01 * winch.length) * GRAVITY, rel=0.01)


def test_exactly_one_thing_can_be_asked_of_it():
    winch = bench_winch()
    with pytest.raises(tl.InputError, match="exactly one of length, speed and tension"):
        winch.step(0.01, 1.0)
    with pytest.raises(tl.InputError, match="exactly one"):
        winch.step(0.01, 1.0, length=3.0, speed=0.1)
