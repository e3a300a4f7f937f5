"""The prediction of a sparse Gaussian process at one point, compiled."""

import math

import numpy as np

from tetherlab.math.kernel import njit


@njit(
    cache=True, fastmath={"reassoc", "contract", "nsz"}
)  # sums may be reordered, which lets them be vectors
def predict_one(
    inputs,
    centre,
    scale,
    circular,
    low,
    high,
    middle,
    cloud,
    reach,
    lengths,
    points,
    whitening,
    weights,
    doubts,
    signal,
    between,
):
    """(mean (p,), variance (p,), strangeness): what `SparseGp.predict` does with many, line by line.

    Arguments are the arrays of a `SparseGp`; lengths of features, points divided by them.
    """
    size, width = points.shape
    feature, strange = np.empty(width), 0.0
    sine = inputs.shape[0]
    for i in range(inputs.shape[0]):
        feature[i] = (inputs[i] - centre[i]) / scale[i]
        if circular[i]:
            feature[sine] = math.sin(feature[i])
            feature[i] = math.cos(feature[i])
            sine += 1
        else:
            half = max(0.5 * (high[i] - low[i]), 1e-12)
            strange = max(strange, abs(inputs[i] - 0.5 * (low[i] + high[i])) / half)
    away, far = np.empty(width), 0.0
    for i in range(width):
        rest = feature[i] - middle[i]
        for j in range(i):
            rest -= cloud[i, j] * away[j]
        away[i] = rest / cloud[i, i]
        far += away[i] * away[i]
    strange = max(strange, math.sqrt(far) / max(reach, 1e-12))

    near = np.empty(size)
    for i in range(width):
        feature[i] /= lengths[i]
    for j in range(size):
        square = 0.0
        for i in range(width):
            square += (feature[i] - points[j, i]) ** 2
        near[j] = math.exp(-0.5 * square)
    unseen, mean, variance = 1.0, np.zeros(signal.shape[0]), np.zeros(signal.shape[0])
    for j in range(size):
        v = 0.0
        for i in range(size):
            v += whitening[j, i] * near[i]
        unseen -= v * v
        for o in range(signal.shape[0]):
            mean[o] += v * weights[j, o]
            variance[o] += v * v * doubts[j, o]
    for o in range(signal.shape[0]):
        variance[o] += max(unseen, 0.0) * signal[o] + between[o] * between[o]
    return mean, variance, strange
