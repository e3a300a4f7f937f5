"""A drone that is a point with a heading and follows velocities with a lag: the least that missions need."""

import math

import numpy as np

import tetherlab as tl
from tetherlab.contracts.autonomy import DepthImage, Readings, pixel_rays

LAG = 0.3  # [s]


class PointDrone:
    """A `Commander`, and its own sensors: depth camera, altimeter, ceiling range finder."""

    def __init__(self, world, position, yaw=0.0, *, pixels=(48, 64), noise=0.0, seed=0, rate_hz=20.0):
        self.world, self.rng, self.noise, self.rate_hz = world, np.random.default_rng(seed), noise, rate_hz
        self.position, self.yaw, self.time = np.array(position, float), yaw, 0.0
        self.velocity_W, self.rate = np.zeros(3), 0.0
        self.wanted_H, self.turn = np.zeros(3), 0.0
        self.pixels, self.tangents = pixels, (math.tan(math.radians(35.0)), math.tan(math.radians(27.5)))
        self.image, self.next_image = None, 0.0
        self.tension = math.nan
        self.track = []

    def fly(self, velocity_H, turn=0.0):
        self.wanted_H, self.turn = np.array(velocity_H, float), turn

    def keep_tension(self, tension):
        self.tension = tension

    def advance(self):
        dt = 1.0 / self.rate_hz
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        x, y, z = self.wanted_H
        share = 1.0 - math.exp(-dt / LAG)
        self.velocity_W += share * (np.array((c * x - s * y, s * x + c * y, z)) - self.velocity_W)
        self.rate += share * (self.turn - self.rate)
        self.position += dt * self.velocity_W
        self.yaw += dt * self.rate
        self.time += dt
        self.track.append((*self.position, self.yaw, float(self.world.distance(self.position))))

    def read(self):
        up = np.array((0.0, 0.0, 1.0))
        if self.time >= self.next_image - 1e-9:
            self.image, self.next_image = self.look(), self.next_image + 0.2
        return Readings(
            time=self.time,
            height=self._range(-up),
            headroom=self._range(up),
            depth=self.image,
        )

    def _range(self, direction):
        far = float(self.world.raycast(self.position, direction, 30.0))
        return far + self.noise * self.rng.standard_normal() if far < 30.0 else math.nan

    def look(self):
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        R = np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
        rays = pixel_rays(*self.pixels, *self.tangents)
        length = np.linalg.norm(rays, axis=2)
        directions = (rays / length[..., None]) @ R.T
        origins = np.broadcast_to(self.position, directions.shape)
        far = self.world.raycast(origins.reshape(-1, 3), directions.reshape(-1, 3), 9.0).reshape(self.pixels)
        depth = np.where(far < 9.0, far / length + self.noise * self.rng.standard_normal(far.shape), np.nan)
        return DepthImage(self.time, depth.astype(np.float32), *self.tangents, np.eye(3))


def fly_task(task, drone, time_max):
    """Step a task until it is done or failed; its last status."""
    task.begin(drone.read())
    while drone.time < time_max:
        status = task.step(drone.read(), drone)
        if status.name != "GOING_ON":
            return status
        drone.advance()
    return status


def bumpy_wall(seed, length=12.0, height=5.0, bumps=15):
    """A wall along y at x = 0 that faces -x, with spheres in it, floor and ceiling."""
    rng = np.random.default_rng(seed)
    parts = [tl.shapes.Box(lower=(0.0, 0.0, -1.0), upper=(3.0, length, height + 1.0))]
    for _ in range(bumps):
        radius = rng.uniform(0.5, 1.5)
        out = rng.uniform(0.05, 0.3)
        y, z = rng.uniform(1.0, length - 1.0), rng.uniform(0.5, height - 0.5)
        parts.append(tl.shapes.Sphere(center=(radius - out, y, z), radius=radius))
    floor = tl.shapes.Plane()
    ceiling = tl.shapes.Plane(point=(0.0, 0.0, height), normal=(0.0, 0.0, -1.0))
    return tl.World(shapes=[tl.shapes.Union(shapes=parts), floor, ceiling])
