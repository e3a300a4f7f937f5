"""Joints in the island solve against closed forms, other integrations, and what must be conserved."""

from itertools import pairwise

import numpy as np
import pytest
from graph_scenes import advance, hang, rigid, totals
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import tetherlab as tl
from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.plant.graph_build import BodyStart, TetherStart, Tie, build_graph
from tetherlab.plant.joint import AT_UPPER, FREE, HELD
from tetherlab.plant.joint_build import (
    JointStart,
    joint_energy,
    joint_gaps,
    joint_rates,
    lock_joint,
    unlock_joint,
)

G = 9.81
WORLD = tl.World(gravity=G)
Y_AXIS = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # swing in the plane of x and z


def turned(angle):
    """Quaternion of a turn about y."""
    return np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0


def about_y(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def pendulum(kind, angle, *, mass=1.3, reach=0.7, inertia=(0.02, 0.03, 0.04), gravity=G, **options):
    """A body below the origin, turned about y."""
    r = np.array([0.0, 0.0, reach])
    body = tl.RigidBody(mass=mass, inertia=inertia, rotation_wxyz=turned(angle))
    joint = JointStart(
        kind, (-1, 0), (np.zeros(3), r), Y_AXIS, angle=np.array([angle, 0.0]), **options
    )  # fmt: skip
    start = BodyStart(body, -about_y(angle) @ r)
    return build_graph(gravity, [start], [], tolerance=1e-10, joints=[joint])


def energy_of(graph):
    """Energy, and the same without what the books say was given and taken [J]."""
    energy, balance, _, _ = totals(graph)
    springs = joint_energy(graph.joint)
    return energy + springs, balance + springs


@pytest.mark.parametrize("kind", ["hinge", "universal"])
def test_a_physical_pendulum_has_its_period_to_second_order(kind):
    angle = 1.0
    period = 4.0 * ellipk(np.sin(0.5 * angle) ** 2) * np.sqrt((0.03 + 1.3 * 0.7**2) / (1.3 * G * 0.7))
    errors = []
    for h in (0.005, 0.0025):
        graph = pendulum(kind, angle)
        energy = totals(graph)[0]
        angles = [angle]
        for _ in range(round(2.0 * period / h)):
            assert advance(graph, h, dt=h)
            assert joint_gaps(graph.joint, graph.body).max() < 1e-9
            angles.append(float(graph.joint[0]["angle"][0]))
        assert totals(graph)[0] == pytest.approx(energy, rel=1e-12)
        now = np.array(angles)
        i = np.flatnonzero((now[:-1] > 0.0) & (now[1:] <= 0.0))
        crossed = h * (i + now[i] / (now[i] - now[i + 1]))
        errors.append((crossed[1] - crossed[0]) / period - 1.0)
    assert 0.0 < errors[0] < 5e-5
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)


def double_pendulum(bodies, angles):
    """Two bodies that hang one below the other on hinges; (mass, reach to the centre, inertia) each."""
    (m1, c1, i1), (m2, c2, i2) = bodies
    top, first, second = np.array([0, 0, c1]), about_y(angles[0]), about_y(angles[1])
    elbow = first @ np.array([0.0, 0.0, -2.0 * c1])
    starts = [
        BodyStart(tl.RigidBody(mass=m1, inertia=(i1,) * 3, rotation_wxyz=turned(angles[0])), -first @ top),
        BodyStart(
            tl.RigidBody(mass=m2, inertia=(i2,) * 3, rotation_wxyz=turned(angles[1])),
            elbow - second @ np.array([0.0, 0.0, c2]),
        ),
    ]
    joints = [
        JointStart("hinge", (-1, 0), (np.zeros(3), top), Y_AXIS, angle=np.array([angles[0], 0.0])),
        JointStart(
            "hinge", (0, 1), (-top, np.array([0.0, 0.0, c2])), first.T[[1, 0]],
            angle=np.array([angles[1] - angles[0], 0.0]),
        ),
    ]  # fmt: skip
    return build_graph(G, starts, [], tolerance=1e-11, joints=joints)


def lagrange_double(bodies, angles, times):
    """Angles from the vertical by the equations of Lagrange, (times, 2)."""
    (m1, c1, i1), (m2, c2, i2) = bodies
    reach = 2.0 * c1

    def rate(_, q):
        a, b, p, w = q
        k, s = m2 * reach * c2 * np.cos(a - b), m2 * reach * c2 * np.sin(a - b)
        matrix = [[i1 + m1 * c1**2 + m2 * reach**2, k], [k, i2 + m2 * c2**2]]
        load = [
            -s * w * w - (m1 * c1 + m2 * reach) * G * np.sin(a),
            s * p * p - m2 * c2 * G * np.sin(b),
        ]
        return [p, w, *np.linalg.solve(matrix, load)]

    span = (0.0, float(times[-1]))
    found = solve_ivp(rate, span, [*angles, 0.0, 0.0], "DOP853", times, rtol=1e-12, atol=1e-12)
    return found.y[:2].T


def test_a_double_pendulum_follows_the_equations_of_lagrange():
    bodies, angles = ((1.2, 0.4, 0.02), (0.7, 0.3, 0.01)), (0.9, -0.5)
    times = 0.1 * np.arange(1, 11)
    expected = lagrange_double(bodies, angles, times)
    errors = []
    for h in (0.001, 0.0005, 0.00025):
        graph = double_pendulum(bodies, angles)
        found = []
        for _ in times:
            assert advance(graph, 0.1, dt=h)
            q = graph.joint["angle"][:, 0]
            found.append((q[0], q[0] + q[1]))
        errors.append(np.abs(found - expected).max())
    assert errors[2] < 1e-5
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("ratio", [1e-3, 1.0, 1e3])
def test_a_double_pendulum_with_any_ratio_of_masses(ratio):
    bodies, angles = ((1.0, 0.4, 0.02), (ratio, 0.3, 0.01 * ratio)), (0.6, 0.2)
    graph = double_pendulum(bodies, angles)
    energy = totals(graph)[0]
    for _ in range(10):
        assert advance(graph, 0.1, dt=0.001)
        assert joint_gaps(graph.joint, graph.body).max() < 1e-9
    assert totals(graph)[0] == pytest.approx(energy, rel=1e-8)
    q = graph.joint["angle"][:, 0]
    expected = lagrange_double(bodies, angles, np.array([1.0]))[0]
    np.testing.assert_allclose((q[0], q[0] + q[1]), expected, atol=2e-4)
    island = graph.program.island[0]
    assert island["iterations"] < 6 * island["steps"]


def test_a_branch_on_a_universal_joint_springs_back_as_its_equations_say():
    """See plant/branch.py: sideways about an upright axis, then up."""
    inertia, k, c, reach, mass = 0.3, 6.0, 0.1, 0.5, 0.9
    about = inertia - mass * reach**2  # about the centre of mass, across; nothing along
    bent, rates = np.array([0.5, -0.3]), np.zeros(2)
    sideways, up = np.array([0.0, 0.0, 1.0]), np.array([0.0, -1.0, 0.0])

    def rate(_, q):
        a, b, p, w = q
        turn = inertia * np.sin(b) * np.cos(b)
        return [
            p,
            w,
            (2.0 * turn * p * w - k * a - c * p) / (inertia * np.cos(b) ** 2),
            (-turn * p * p - k * b - c * w) / inertia,
        ]

    times = 0.2 * np.arange(1, 11)
    expected = solve_ivp(rate, (0.0, 2.0), [*bent, *rates], "DOP853", times, rtol=1e-12, atol=1e-12).y[:2].T
    errors = []
    for h in (0.005, 0.0025):
        graph = branch(mass, about, reach, bent, sideways, up, stiffness=np.full(2, k), damping=np.full(2, c))
        found = []
        for _ in times:
            assert advance(graph, 0.2, dt=h)
            found.append(graph.joint[0]["angle"].copy())
            assert joint_gaps(graph.joint, graph.body).max() < 1e-9
        errors.append(np.abs(found - expected).max())
    assert errors[0] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_what_rings_against_a_joint_dies_out():
    """A universal joint does not let a branch turn about itself, though a kick may have left it turning."""
    sideways, up = np.array([0.0, 0.0, 1.0]), np.array([0.0, -1.0, 0.0])
    graph = branch(0.9, 0.08, 0.5, np.zeros(2), sideways, up, stiffness=np.full(2, 6.0))
    graph.body[0]["L_W"] = 0.2 * 8e-6, 0.0, 0.0  # 0.2 rad/s about itself
    energy = energy_of(graph)[1]
    assert advance(graph, 0.01, dt=0.002)
    assert abs(graph.body[0]["L_W"][0]) < 1e-6 * 8e-6
    assert energy_of(graph)[1] == pytest.approx(energy, rel=1e-9)


def branch(mass, about, reach, bent, sideways, up, gravity=0.0, others=(), tethers=(), **options):
    """A rod along x from the origin on a universal joint, bent at the start."""
    R0 = np.array([sideways, up, np.cross(sideways, up)]).T
    a, b = bent
    first = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    second = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    R = R0 @ first @ second @ R0.T
    body = tl.RigidBody(
        mass=mass, inertia=(1e-4 * about, about, about), rotation_wxyz=quaternion_from_matrix(R)
    )  # fmt: skip
    root = np.array([-reach, 0.0, 0.0])
    joint = JointStart(
        "universal", (-1, 0), (np.zeros(3), root), np.array([sideways, up]), angle=bent, **options
    )
    return build_graph(
        gravity, [BodyStart(body, -R @ root), *others], list(tethers), tolerance=1e-10, joints=[joint]
    )


def floating_chain(random, kind="hinge", masses=(0.5, 0.8, 0.3), **options):
    """Bodies that float and turn, each on a joint with the one before."""
    options = {"stiffness": np.full(2, 2.0)} | options
    starts, joints, place, hook = [], [], np.array([3.0, -2.0, 1.0]), np.zeros(3)
    for k, mass in enumerate(masses):
        body = rigid(mass, angular_velocity=random.uniform(-2.0, 2.0, 3))
        below, above = random.uniform(-0.2, 0.2, (2, 3))
        if k:
            place = place + hook - below
            axes = np.linalg.qr(random.normal(size=(3, 3)))[0][:2]
            joints.append(JointStart(kind, (k - 1, k), (hook, below), axes, **options))
        starts.append(BodyStart(body, place, random.uniform(-0.5, 0.5, 3)))
        hook = above
    return build_graph(0.0, starts, [], tolerance=1e-10, joints=joints)


@pytest.mark.parametrize("kind", ["hinge", "universal", "ball", "fixed"])
def test_a_chain_that_floats_keeps_momenta_and_energy(kind):
    graph = floating_chain(np.random.default_rng(11), kind)
    _, _, momentum, turning = totals(graph)
    energy = energy_of(graph)[0]
    for _ in range(1000):
        assert advance(graph, 0.01)
        assert joint_gaps(graph.joint, graph.body).max() < 1e-9
    _, _, after, turning_after = totals(graph)
    assert np.linalg.norm(after - momentum) < 1e-12 * np.linalg.norm(momentum)
    assert np.linalg.norm(turning_after - turning) < 1e-9 * np.linalg.norm(turning)
    assert energy_of(graph)[0] == pytest.approx(energy, rel=1e-7)


def test_a_damped_and_driven_chain_keeps_its_books():
    graph = floating_chain(np.random.default_rng(5), "universal", damping=np.full(2, 0.05))
    graph.joint["torque"] = 0.1
    _, _, _, turning = totals(graph)
    _, balance = energy_of(graph)
    for _ in range(500):
        assert advance(graph, 0.01)
    assert graph.books[0]["dissipated"] > 0.01
    assert energy_of(graph)[1] == pytest.approx(balance, abs=1e-7)
    assert np.linalg.norm(totals(graph)[3] - turning) < 1e-9 * np.linalg.norm(turning)


def spatial_chain(random, length=3):
    """Bodies of any shape on universal joints with springs and dampers, from a point of the world."""
    starts, joints, place, hook, hook_B = [], [], *np.zeros((3, 3))
    for k in range(length):
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)
        below, above = random.uniform(-0.3, 0.3, (2, 3))
        place = place + hook - turn @ below
        axes = np.linalg.qr(random.normal(size=(3, 3)))[0][:2]
        joints.append(
            JointStart(
                "universal", (k - 1, k), (hook_B, below), axes,
                stiffness=random.uniform(1.0, 3.0, 2), damping=random.uniform(0.01, 0.05, 2),
            )
        )  # fmt: skip
        body = tl.RigidBody(
            mass=random.uniform(0.3, 1.0), inertia=random.uniform(0.015, 0.025, 3),
            rotation_wxyz=quaternion_from_matrix(turn),
        )  # fmt: skip
        starts.append(BodyStart(body, place))
        hook_B, hook = above, turn @ above
    return build_graph(G, starts, [], tolerance=1e-11, joints=joints)


def newton_euler(joint, body, times):
    """Places of bodies by their accelerations, with constraints differentiated twice, (times, bodies, 3)."""
    count = len(body)

    def open_state(y):
        rows = y.reshape(count, 18)
        return rows[:, :3], rows[:, 3:12].reshape(count, 3, 3), rows[:, 12:15], rows[:, 15:]

    def rate(_, y):
        _, R, v, w = open_state(y)
        mass, load = np.zeros((6 * count, 6 * count)), np.zeros(6 * count)
        for i, row in enumerate(body):
            inertia = R[i] @ row["inertia_B"] @ R[i].T
            mass[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = row["mass"] * np.eye(3)
            mass[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inertia
            load[6 * i + 2] = -row["mass"] * G
            load[6 * i + 3 : 6 * i + 6] = -np.cross(w[i], inertia @ w[i])
        matrix, right = [], []
        for row in joint:
            sides, rows, wanted = [], np.zeros((4, 6 * count)), np.zeros(4)
            for side, b in enumerate(row["body"]):
                turn, spin = (np.eye(3), np.zeros(3)) if b < 0 else (R[b], w[b])
                sides.append((row["axes_B"][side] @ turn.T, spin))
                if b >= 0:
                    sign, arm = 2 * side - 1, turn @ row["r_B"][side]
                    rows[:3, 6 * b : 6 * b + 3] = sign * np.eye(3)
                    rows[:3, 6 * b + 3 : 6 * b + 6] = sign * np.cross(np.eye(3), -arm)
                    wanted[:3] -= sign * np.cross(spin, np.cross(spin, arm))
            (A, wa), (B, wb) = sides
            for side, b in enumerate(row["body"]):
                if b >= 0:
                    rows[3, 6 * b + 3 : 6 * b + 6] = (2 * side - 1) * np.cross(B[1], A[0])
            da, db = np.cross(wa, A[0]), np.cross(wb, B[1])
            wanted[3] = -(np.cross(wa, da) @ B[1] + 2.0 * da @ db + A[0] @ np.cross(wb, db))
            angles = np.arctan2(A[2] @ B[1], A[1] @ B[1]), np.arctan2(A[0] @ B[2], A[0] @ B[0])
            turning = (wb - wa) @ A[0], (wb - wa) @ B[1]
            torque = np.zeros(3)
            for axis, along in enumerate((A[0], B[1])):
                torque -= (
                    row["stiffness"][axis] * angles[axis] + row["damping"][axis] * turning[axis]
                ) * along
            for side, b in enumerate(row["body"]):
                if b >= 0:
                    load[6 * b + 3 : 6 * b + 6] += (2 * side - 1) * torque
            matrix.append(rows)
            right.append(wanted)
        C = np.vstack(matrix)
        whole = np.block([[mass, C.T], [C, np.zeros((len(C), len(C)))]])
        found = np.linalg.solve(whole, np.r_[load, np.concatenate(right)])[: 6 * count].reshape(count, 6)
        dR = np.array([np.cross(w[i], R[i].T).T for i in range(count)]).reshape(count, 9)
        return np.hstack([v, dR, found]).ravel()

    start = np.hstack(
        [body["p_W"], body["R_WB"].reshape(count, 9), body["v_W"], np.zeros((count, 3))]
    ).ravel()
    found = solve_ivp(rate, (0.0, float(times[-1])), start, "DOP853", times, rtol=1e-10, atol=1e-10)
    return found.y.T.reshape(len(times), count, 18)[:, :, :3]


def test_a_chain_in_space_follows_the_equations_of_newton_and_euler():
    times = 0.1 * np.arange(1, 6)
    start = spatial_chain(np.random.default_rng(7))
    expected = newton_euler(start.joint, start.body.copy(), times)
    assert np.ptp(expected, axis=0).max() > 0.2
    errors = []
    for h in (0.002, 0.001):
        graph = spatial_chain(np.random.default_rng(7))
        found = []
        for _ in times:
            assert advance(graph, 0.1, dt=h)
            found.append(graph.body["p_W"].copy())
        errors.append(np.abs(np.array(found) - expected).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def four_bar(gravity=G):
    """Crank, coupler and rocker in the plane of x and z: three bodies, four hinges."""
    ends = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.3], [0.9, 0.0, 0.6], [0.8, 0.0, 0.0]])
    starts, joints = [], []
    for one, other in pairwise(ends):
        starts.append(BodyStart(tl.RigidBody(mass=0.5, inertia=(0.01,) * 3), 0.5 * (one + other)))
    for k, place in enumerate(ends):
        parent, child = (k - 1, k) if k < 3 else (-1, 2)
        r_parent = place if parent < 0 else place - starts[parent].position
        r_child = place - starts[child].position
        joints.append(JointStart("hinge", (parent, child), (r_parent, r_child), Y_AXIS))
    return build_graph(gravity, starts, [], tolerance=1e-10, joints=joints)


def test_a_four_bar_linkage_moves_although_its_hinges_are_redundant():
    graph = four_bar()
    assert graph.program.closing.sum() == 1
    energy = totals(graph)[0]
    for _ in range(400):
        assert advance(graph, 0.005, dt=0.005)
        assert joint_gaps(graph.joint, graph.body).max() < 1e-9
    assert np.abs(graph.body["p_W"][:, 1]).max() < 1e-9
    assert np.ptp(graph.joint["angle"][:, 0]) > 0.5
    assert totals(graph)[0] == pytest.approx(energy, abs=1e-8)
    assert np.abs(graph.joint["load"]).max() < 100.0
    island = graph.program.island[0]
    assert island["discarded"] == 0 and island["iterations"] < 8 * island["steps"]


def test_a_load_on_a_tether_bends_a_branch_as_far_as_statics_say():
    mass, reach, k, load = 0.9, 0.5, 30.0, 0.4
    moment = G * (mass * reach + (load + 0.02) * 2.0 * reach)
    bent = 0.0
    for _ in range(200):
        bent -= 0.2 * (bent + moment * np.cos(bent) / k)
    cord = tl.TetherSpec(linear_density=0.02, diameter=0.004, axial_stiffness=5e3, axial_damping=20.0)
    tip = np.array([np.cos(bent), 0.0, np.sin(bent)])
    tether = hang(cord, tip, tip - (0.0, 0.0, 1.0), 1.0, world=WORLD)
    ties = Tie(0, np.array([reach, 0.0, 0.0])), Tie(1, np.zeros(3))
    graph = branch(
        mass, 0.075, reach, np.array([0.0, bent]), np.array([0.0, 0.0, 1.0]), np.array([0.0, -1.0, 0.0]), G,
        [BodyStart(rigid(load), tip - (0.0, 0.0, 1.0))], [TetherStart(tether, ties)],
        stiffness=np.full(2, k), damping=np.full(2, 4.0),
    )  # fmt: skip
    assert len(graph.program.island) == 1
    assert advance(graph, 2.0, WORLD)  # an undamped load would swing for long if it had to move
    np.testing.assert_allclose(graph.joint[0]["angle"], (0.0, bent), atol=1e-5)
    force = graph.joint[0]["load"][:3]
    np.testing.assert_allclose(force, (0.0, 0.0, G * (mass + load + 0.02)), atol=0.01)
    assert joint_gaps(graph.joint, graph.body).max() < 1e-9


def test_a_held_pendulum_stays_until_its_release_and_swings_then_as_one_that_was_never_held():
    angle, options = 0.8, {"release_time": np.full(2, 0.5)}
    held = pendulum("universal", angle, held=(True, True), **options)
    program = held.program
    assert advance(held, 0.5)
    np.testing.assert_allclose(held.joint[0]["angle"], (angle, 0.0), atol=1e-12)
    torque = 1.3 * G * 0.7 * np.sin(angle)
    assert held.joint[0]["load"][4] == pytest.approx(torque, rel=1e-9)
    assert advance(held, 1.0)
    assert held.program is program  # nothing is planned anew
    free = pendulum("universal", angle)
    assert advance(free, 1.0)
    np.testing.assert_allclose(held.joint[0]["angle"], free.joint[0]["angle"], atol=1e-9)


def test_a_swinging_pendulum_is_locked_and_let_go():
    graph = pendulum("hinge", 0.8)
    assert advance(graph, 0.4)
    angle = float(graph.joint[0]["angle"][0])
    assert abs(joint_rates(graph.joint[0], graph.body)[0]) > 1.0
    lock_joint(graph.joint[0])
    assert advance(graph, 0.5)
    assert graph.joint[0]["angle"][0] == pytest.approx(angle, abs=1e-9)
    assert np.abs(joint_rates(graph.joint[0], graph.body)).max() < 1e-9
    unlock_joint(graph.joint[0])
    assert graph.joint[0]["lock"].tolist() == [FREE, HELD]
    energy = totals(graph)[0]
    assert advance(graph, 0.5)
    assert abs(graph.joint[0]["angle"][0] - angle) > 0.05
    assert totals(graph)[0] == pytest.approx(energy, abs=1e-9)


def test_a_pendulum_comes_to_rest_at_its_stop_and_leaves_it_when_it_is_pulled_away():
    graph = pendulum("hinge", -1.0, upper=np.array([0.2, np.inf]))
    graph.joint["torque"] = 12.0, 0.0
    for _ in range(300):
        assert advance(graph, 0.005, dt=0.005)
        assert graph.joint[0]["angle"][0] < 0.2 + 1e-9
    assert graph.joint[0]["lock"][0] == AT_UPPER
    assert abs(joint_rates(graph.joint[0], graph.body)[0]) < 1e-9
    rest = 12.0 - 1.3 * G * 0.7 * np.sin(0.2)
    assert -graph.joint[0]["load"][4] == pytest.approx(rest, rel=1e-6)
    graph.joint["torque_max"] = 0.0
    energy = totals(graph)[0]
    assert advance(graph, 0.5)
    assert graph.joint[0]["lock"][0] == FREE and graph.joint[0]["angle"][0] < 0.1
    assert totals(graph)[0] == pytest.approx(energy, abs=1e-6)


def test_a_driven_axis_turns_at_its_rate_and_its_work_is_booked():
    graph = pendulum("hinge", 0.0, held=(True, False))
    graph.joint["held_rate"] = 0.5, 0.0
    balance = energy_of(graph)[1]
    for _ in range(100):
        assert advance(graph, 0.01)
        assert joint_rates(graph.joint[0], graph.body)[0] == pytest.approx(0.5, rel=1e-4)
    assert graph.joint[0]["angle"][0] == pytest.approx(0.5, abs=1e-9)
    assert energy_of(graph)[1] == pytest.approx(balance, abs=1e-7)


def test_a_platform_on_a_rover_that_stands_on_the_ground_holds_a_tether():
    """Feet, a universal joint with springs and a tether to a drone that pulls, in one island."""
    ground = tl.World.ground()
    feet = [(x, y, -0.1, 0.05) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    rover = tl.RigidBody(mass=8.0, inertia=(0.3, 0.4, 0.5), feet=feet)
    deck = tl.RigidBody(mass=1.0, inertia=(0.02, 0.02, 0.03))
    drone = tl.RigidBody(mass=1.0, inertia=(0.01,) * 3)
    cord = tl.TetherSpec(linear_density=0.01, diameter=0.004, axial_stiffness=5e3, axial_damping=20.0)
    top = np.array([0.0, 0.0, 0.35])
    starts = [
        BodyStart(rover, np.array([0.0, 0.0, 0.15])),
        BodyStart(deck, np.array([0.0, 0.0, 0.3])),
        BodyStart(drone, np.array([0.0, 0.0, 1.34])),
    ]
    tether = hang(cord, top, starts[2].position, 1.0, world=ground)
    joint = JointStart(
        "universal", (0, 1), (np.array([0.0, 0.0, 0.1]), np.array([0.0, 0.0, -0.05])), Y_AXIS,
        stiffness=np.full(2, 20.0), damping=np.full(2, 1.0),
    )  # fmt: skip
    ties = Tie(1, np.array([0.0, 0.0, 0.05])), Tie(2, np.zeros(3))
    graph = build_graph(
        ground.gravity, starts, [TetherStart(tether, ties)], len(ground.names), joints=[joint]
    )
    assert len(graph.program.island) == 1
    for _ in range(800):
        graph.body["force_W"][2] = (5.0, 0.0, ground.gravity + 12.0) - 4.0 * graph.body["v_W"][2]
        assert advance(graph, 0.01, ground)
        assert joint_gaps(graph.joint, graph.body).max() < 1e-9
    # The deck leans until its spring balances what pulls at its top, 0.1 m above the joint.
    a = float(graph.joint[0]["angle"][0])
    pull = np.array([5.0, 12.0 - 0.01 * ground.gravity])
    lever = 0.1 * (pull[0] * np.cos(a) - pull[1] * np.sin(a)) + 0.05 * ground.gravity * np.sin(a)
    assert 20.0 * a == pytest.approx(lever, rel=2e-3)
    assert np.abs(graph.body[0]["v_W"]).max() < 1e-4
    assert np.abs(graph.body[0]["R_WB"] - np.eye(3)).max() < 1e-3
    island = graph.program.island[0]
    assert island["iterations"] < 6 * island["steps"]  # contact takes most of them
