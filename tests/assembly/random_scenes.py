"""Scenes of many parts with numbers of a seed, for tests of files."""

import math

import numpy as np

import tetherlab as tl
from tetherlab.assembly.scene import RunSettings
from tetherlab.control.position import PositionController
from tetherlab.control.winch_rules import ConstantTension
from tetherlab.plant.branch import Branch


def random_scene(seed):
    """A scene with every kind of part; it need not be possible, only written and read."""
    rng = np.random.default_rng(seed)

    def vector(scale=1.0):
        return tuple((scale * rng.normal(size=3)).tolist())

    def quaternion():
        q = rng.normal(size=4)
        return tuple((q / np.linalg.norm(q)).tolist())

    scene = tl.Scene(*rng.choice(["plain", "wall", None], 1))
    if rng.random() < 0.5:
        scene = tl.Scene(
            tl.World([tl.shapes.Box(lower=(50, 50, -1), upper=(51, 51, 1), name="box")], gravity=3.7)
        )
    scene.description = f"seed {seed}"
    hand = scene.add_hand(name="hand", position=(0.0, 0.0, 20.0))
    if rng.random() < 0.7:
        scene.add_branch(
            Branch(
                name="oak", root=(30.0, 0.0, 5.0), tip=np.array((32.0, 0.0, 5.0)) + vector(0.3), radius=0.05,
                stiffness=float(rng.uniform(1, 9)), damping=float(rng.uniform(0, 1)), inertia=0.4,
                friction=None if rng.random() < 0.5 else 0.3, bent=tuple(rng.uniform(-1, 1, 2)),
                release_time=float(rng.uniform(0, 3)),
            )
        )  # fmt: skip
    inertia = np.diag(rng.uniform(0.9, 1.1, 3)) if rng.random() < 0.5 else np.eye(3) + 0.05
    load = scene.add_body(
        tl.RigidBody(
            mass=float(rng.uniform(0.1, 2)), inertia=inertia, rotation_wxyz=quaternion(),
            angular_velocity=vector(), radius=0.1, feet=[(*vector(0.1), 0.02)], friction=0.4,
        ),
        name="load", position=(-9.0, 0.0, 9.0), velocity=vector(),
        shapes=[tl.shapes.Sphere(center=vector(0.1), radius=0.05)], sites={"eye": vector(0.1)},
    )  # fmt: skip
    ball = scene.add_body(tl.RigidBody(mass=0.7, inertia=(0.4 * 0.7 * 0.2 * 0.2,) * 3, radius=0.2),
                          name="ball", position=(-5.0, 0.0, 9.0))  # fmt: skip
    ugv = scene.add_robot("paper_ugv", name="ugv", position=(0.0, 0.0, 0.0), yaw=float(rng.uniform(-3, 3)))
    uav = scene.add_robot("x500", name="uav", on=ugv.site("deck"))
    flyer = scene.add_robot(
        uav.spec, name="flyer", position=(4.0, 0.0, 6.0), rotation_wxyz=quaternion(), velocity=vector(),
        angular_velocity=vector(),
    )  # fmt: skip
    scene.add_tether(
        "paper", name="main", start=ugv.site("winch"), end=uav.site("hook"), length=20.0, paid_out=1.5
    )
    scene.add_tether(
        tl.TetherSpec(linear_density=float(rng.uniform(0.01, 0.1)), diameter=0.004), name="cord",
        start=hand.site(), end=load.site("eye"), length=float(rng.uniform(30, 40)), element_length=0.5,
        step_max=0.004, shape=[(0, 0, 20), vector(), load.at(load.site("eye"))],
    )  # fmt: skip
    scene.add_tether("oxpecker", name="sling", start=flyer.site(vector(0.1)), end=load.site(vector(0.1)),
                     length=25.0, winch=scene.tethers["main"].winch)  # fmt: skip
    turn = scene.add_body(tl.RigidBody(mass=1.0, inertia=(0.1,) * 3), name="turn", position=(9.0, 9.0, 9.0))
    kind = str(rng.choice(["hinge", "universal", "ball", "fixed"]))
    free = {"hinge": 1, "universal": 2}.get(kind, 0)
    numbers = {}
    if free:
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0][:free]
        angle = rng.uniform(-0.5, 0.5, free).tolist()
        numbers = {
            "axes": axes[0] if free == 1 else axes, "angle": angle if free == 2 else angle[0],
            "stiffness": float(rng.uniform(0, 5)), "rest": float(rng.uniform(-1, 1)), "damping": 0.2,
            "limits": (-1.0, math.pi / 3) if free == 1 else [(-1.0, 1.0), (-0.7, 2.0)], "torque_max": 3.0,
            "held": True, "release_time": float(rng.uniform(0, 2)),
        }  # fmt: skip
    scene.add_joint(kind, name="pin", parent=(9.0, 9.0, 9.0), child=turn.site(), **numbers)
    scene.control["uav"] = PositionController(
        mass=uav.spec.mass, gravity=scene.world.gravity, bandwidth=float(rng.uniform(1, 3))
    )
    scene.control["main"] = ConstantTension(tension=float(rng.uniform(1, 5)))
    scene.add_command("uav", time=1.0, take_off=True, yaw=float(rng.uniform(-3, 3)))
    scene.add_command("hand", time=float(rng.uniform(0, 3)), position=vector(), within=2.0)
    scene.add_command("ball", time=2.0, force=vector(), torque=vector())
    scene.add_command("main", time=3.0, length=4.0)
    scene.add_command("cord", time=4.0, release="end")
    if free:
        scene.add_command("pin", time=4.0, torque=float(rng.normal()) if free == 1 else [0.1, 0.2])
    scene.run = RunSettings(duration_max=9.0, seed=int(rng.integers(99)), record_hz=100.0, step=0.005)
    assert ball.name == "ball"
    return scene
