"""Ends that are released, attached and coupled to the user's own body."""

import numpy as np
import pytest
from tether_scenes import SLACK, circle, leaning_line, make_spec, momentum, node_masses, run

import tetherlab as tl
from analytical import GRAVITY

# ---------------------------------------------------------------- release and attach


def test_releasing_and_attaching_change_no_velocity():
    tether = tl.Tether(make_spec(), **SLACK)
    for k in range(30):
        tether.step(0.01, **circle(k))
    nodes, velocities = tether.nodes, tether.velocities
    for action in (
        lambda: tether.release("end"),
        lambda: tether.attach("end", tl.PointMass(0.4)),
        lambda: tether.attach("end", tl.RigidBody(mass=1.0, inertia=(1, 1, 1), attachment=(0, 0, 0.1))),
        lambda: tether.release("base"),
        lambda: tether.attach("end"),
        lambda: tether.attach("base"),
    ):
        action()
        assert np.array_equal(tether.nodes, nodes)
        assert np.array_equal(tether.velocities, velocities)


def test_what_is_left_after_a_release_moves_on_with_its_momentum():
    tether = tl.Tether(
        make_spec(), **SLACK, world=tl.World(gravity=0.0), shape=[(0, 0, 0), (1, 0, 1.118), (2, 0, 0)]
    )
    for k in range(40):
        tether.step(0.01, **circle(k))
    before = momentum(tether)
    centre = node_masses(tether) @ tether.nodes / 0.15
    tether.release("base")
    tether.release("end")
    run(tether, 1.0)
    assert np.allclose(momentum(tether), before, rtol=0, atol=1e-5)
    drift = node_masses(tether) @ tether.nodes / 0.15 - centre
    assert np.allclose(drift, before / 0.15, rtol=0, atol=1e-3)


def test_a_held_end_stays_where_it_was_attached():
    tether = leaning_line(0.8)
    tether.release("end")
    run(tether, 0.3)
    tether.attach("end")
    where = tether.nodes[-1]
    run(tether, 0.3)
    assert np.allclose(tether.nodes[-1], where, rtol=0, atol=1e-12)


# ---------------------------------------------------------------- the answer of the force to velocity


def sagging_pair():
    tether = tl.Tether(make_spec(drag_coefficient=1.2), base=(0, 0, 0), end=(2, 0.3, 0.4), length=2.1)
    forces = run(tether, 0.5, 0.005)
    return tether, forces


def test_damping_end_is_minus_the_change_of_force_with_the_mean_velocity():
    tether, forces = sagging_pair()
    dt, nudge = 0.005, 1e-4
    start = tether.nodes[-1]
    measured = np.empty((3, 3))
    for axis in range(3):
        answers = []
        for sign in (1.0, -1.0):
            twin = tether.copy()
            mean = sign * nudge * np.eye(3)[axis]
            # The end is at rest now: with this mean velocity over dt it arrives with twice as much.
            answers.append(twin.step(dt, end=start + dt * mean, end_velocity=2.0 * mean).on_end)
        measured[:, axis] = -(answers[0] - answers[1]) / (2.0 * nudge)
    assert np.allclose(forces.damping_end, measured, rtol=0, atol=0.02 * np.abs(measured).max())
    assert np.linalg.eigvalsh(0.5 * (measured + measured.T)).min() > 0.0


@pytest.mark.parametrize("dt", [0.005])
def test_a_light_body_coupled_by_damping_end_stays_stable(dt):
    def fastest(implicit):
        """Largest speed of a body of 50 g at the end of 100 g of tether, which starts with 0.3 m/s."""
        mass, velocity = 0.05, np.array((0.3, 0.0, 0.0))
        point = np.array((0.0, 0.0, -2.0)) + dt * velocity
        tether = tl.Tether(make_spec(), base=(0, 0, 0), end=(0, 0, -2), length=2.0)
        forces, seen = tether.step(dt, end=point, end_velocity=velocity), 0.0
        for _ in range(300):
            damping = forces.damping_end if implicit else np.zeros((3, 3))
            # m (v+ - v) / dt = F - D (v + v+) / 2 + m g
            load = forces.on_end - mass * GRAVITY * np.eye(3)[2] - damping @ velocity
            change = np.linalg.solve(mass / dt * np.eye(3) + 0.5 * damping, load)
            point = point + dt * (velocity + 0.5 * change)
            velocity = velocity + change
            seen = max(seen, float(np.abs(velocity).max()))
            forces = tether.step(dt, end=point, end_velocity=velocity)
        return seen

    assert fastest(implicit=True) < 0.31
    assert fastest(implicit=False) > 1.5, "without the matrix it should fail, or the test says nothing"
