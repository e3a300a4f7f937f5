"""Reliefs to test with, and their surface written down once more."""

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.spatial.transform import Rotation

from tetherlab.world import shapes as S

SPACING, COUNTS = 0.05, (61, 41)
SIZE = SPACING * (np.array(COUNTS) - 1.0)


def rough(seed, rms=0.03, blur=4.0, **others):
    """Random heights, without the code under test."""
    heights = gaussian_filter(np.random.default_rng(seed).normal(size=COUNTS), blur)
    heights *= rms / heights.std()
    return S.Relief(heights=heights, **{"origin": (0, 0, 0), "spacing": SPACING, "thickness": 1.0, **others})


def sine(amplitude, wavelength):
    """Waves along u."""
    heights = np.repeat(
        np.sin(2 * np.pi / wavelength * SPACING * np.arange(COUNTS[0]))[:, None], COUNTS[1], 1
    )
    return S.Relief(heights=amplitude * heights, origin=(0, 0, 0), spacing=SPACING, thickness=1.0)


def basis(x):
    """The quadratic B-spline."""
    x = np.abs(x)
    return np.where(x < 0.5, 0.75 - x**2, np.where(x < 1.5, 0.5 * (1.5 - x) ** 2, 0.0))


def spline(relief, u, v):
    """Its surface, as a sum over all control points; the ones beyond the border continue in line."""
    c = np.asarray(relief.heights, float)
    c = np.pad(c, 1, mode="reflect", reflect_type="odd")
    k_u, k_v = (relief.spacing * (np.arange(n) - 1.0) for n in c.shape)
    w_u = basis((np.asarray(u)[..., None] - k_u) / relief.spacing)
    w_v = basis((np.asarray(v)[..., None] - k_v) / relief.spacing)
    return np.einsum("...i,ij,...j->...", w_u, c, w_v)


def dense_surface(relief, step=0.004):
    """Points all over the displaced face, (n, 3)."""
    u, v = np.meshgrid(*(np.arange(0.0, side + 1e-9, step) for side in relief.size), indexing="ij")
    heights = np.concatenate([spline(relief, a, b) for a, b in zip(u, v, strict=True)])
    return np.stack([u.ravel(), v.ravel(), heights], axis=1)


TURN = Rotation.from_rotvec([0.7, -0.4, 1.1])
