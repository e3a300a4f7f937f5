"""Ways among axis-aligned boxes by brute force: every taut polyline between two points, of every class.

For the exhaustive solver; shares no code with planners or their judge.
"""

import math
from itertools import pairwise

EPS = 1e-9
FAR = 100.0  # boxes that touch the frame go on behind it, so that nothing squeezes through below [m]


class BoxWorld:
    """A frame and upright boxes; a disc is a point among boxes that are larger by its radius."""

    def __init__(self, bounds, polygons):
        self.bounds = bounds
        self.boxes = [self._box(polygon) for polygon in polygons]
        self._paths = {}

    def _box(self, polygon):
        xs, zs = sorted({x for x, _ in polygon}), sorted({z for _, z in polygon})
        assert len(polygon) == 4 and len(xs) == len(zs) == 2, "only axis-aligned boxes"
        x_min, z_min, x_max, z_max = self.bounds
        return (
            xs[0] - FAR * (xs[0] <= x_min + EPS),
            zs[0] - FAR * (zs[0] <= z_min + EPS),
            xs[1] + FAR * (xs[1] >= x_max - EPS),
            zs[1] + FAR * (zs[1] >= z_max - EPS),
        )

    def grown(self, radius):
        """The boxes for the centre of a disc."""
        return [(a - radius, b - radius, c + radius, d + radius) for a, b, c, d in self.boxes]

    def free(self, point, radius):
        """Edges are free."""
        x, z = point
        x_min, z_min, x_max, z_max = self.bounds
        r = radius - EPS
        if not (x_min + r <= x <= x_max - r and z_min + r <= z <= z_max - r):
            return False
        return not any(a + EPS < x < c - EPS and b + EPS < z < d - EPS for a, b, c, d in self.grown(radius))

    def sees(self, p, q, radius):
        """Whether a segment passes no box; it may slide along one."""
        return (
            self.free(p, radius)
            and self.free(q, radius)
            and not any(_cuts(p, q, box) for box in self.grown(radius))
        )

    def drops_to(self, x, z, radius):
        """Height at which a disc that is lowered from (x, z) touches something."""
        tops = [d for a, _, c, d in self.grown(radius) if a + EPS < x < c - EPS and d <= z + EPS]
        return max([self.bounds[1] + radius, *tops])

    def rises_to(self, x, z, radius):
        """The same upwards."""
        bottoms = [b for a, b, c, _ in self.grown(radius) if a + EPS < x < c - EPS and b >= z - EPS]
        return min([self.bounds[3] - radius, *bottoms])

    def paths(self, start, end, radius, length_max=math.inf):
        """All taut polylines without repeated corner, as tuples of points: one of each homotopy class."""
        key = (start, end, radius, length_max)
        if key not in self._paths:
            self._paths[key] = list(self._taut(start, end, radius, length_max))
        return self._paths[key]

    def _taut(self, start, end, radius, length_max):
        if not (self.free(start, radius) and self.free(end, radius)):
            return
        if math.dist(start, end) < EPS:
            yield (start, end)
            return
        corners = [
            corner
            for box in self.grown(radius)
            for corner in _corners(box)
            if self.free(corner, radius) and math.dist(corner, start) > EPS and math.dist(corner, end) > EPS
        ]
        boxes = self.grown(radius)
        sees = {}

        def visible(p, q):
            if (p, q) not in sees:
                sees[p, q] = sees[q, p] = self.sees(p, q, radius)
            return sees[p, q]

        def extend(path, length):
            for point in (end, *corners):
                if point in path or not visible(path[-1], point):
                    continue
                more = length + math.dist(path[-1], point)
                if more > length_max + EPS or (len(path) > 1 and not _wraps(*path[-2:], point, boxes)):
                    continue
                if point == end:
                    yield (*path, end)
                else:
                    yield from extend((*path, point), more)

        yield from extend((start,), 0.0)

    def word(self, path):
        """Rays up from the middles of all boxes that a path crosses, with sign; neighbours cancel."""
        letters = []
        for (x, z), (u, w) in pairwise(path):
            passed = []
            for i, (a, b, c, d) in enumerate(self.boxes, 1):
                ray = 0.5 * (a + c) + 1e-4 * i
                if (x < ray) != (u < ray):
                    t = (ray - x) / (u - x)
                    if z + t * (w - z) > 0.5 * (b + d):
                        passed.append((t, i if u > x else -i))
            for _, letter in sorted(passed):
                if letters and letters[-1] == -letter:
                    letters.pop()
                else:
                    letters.append(letter)
        return tuple(letters)

    def pulled(self, path, start, end, radius, length_max=math.inf, tail=()):
        """The taut polyline of the class of a path, or None; `tail` is a common end that is not pulled."""
        word = self.word(path)
        return next(
            (
                each
                for each in self.paths(start, end, radius, length_max)
                if self.word((*each, *tail)) == word
            ),
            None,
        )


def length(path):
    """Of a polyline [m]."""
    return sum(math.dist(p, q) for p, q in pairwise(path))


def turned(path):
    """Sum of the angles at the bends [rad]."""
    total = 0.0
    for i in range(1, len(path) - 1):
        (x, z), (u, w), (s, t) = path[i - 1 : i + 2]
        a, b = math.atan2(w - z, u - x), math.atan2(t - w, s - u)
        total += abs(math.remainder(b - a, 2.0 * math.pi))
    return total


def _corners(box):
    a, b, c, d = box
    return ((a, b), (c, b), (c, d), (a, d))


def _cuts(p, q, box):
    """Whether a segment has points in the open box: Liang and Barsky's clipping."""
    low, high = 0.0, 1.0
    for k in (0, 1):
        least, most, step = box[k] + EPS, box[k + 2] - EPS, q[k] - p[k]
        if abs(step) < 1e-12:
            if not least < p[k] < most:
                return False
            continue
        first, last = sorted(((least - p[k]) / step, (most - p[k]) / step))
        low, high = max(low, first), min(high, last)
    return high - low > 1e-9


def _wraps(before, at, after, boxes):
    """Whether a polyline turns around the box at its corner."""
    (x, z), (u, w), (s, t) = before, at, after
    a, b = math.dist(before, at), math.dist(after, at)
    cross = (u - x) * (t - w) - (w - z) * (s - u)
    if abs(cross) < 1e-9 * a * b or a < EPS or b < EPS:
        return False
    dx, dz = (x - u) / a + (s - u) / b, (z - w) / a + (t - w) / b
    size = math.hypot(dx, dz)
    px, pz = u + 1e-5 * dx / size, w + 1e-5 * dz / size
    return any(
        math.dist(at, corner) < EPS and box[0] < px < box[2] and box[1] < pz < box[3]
        for box in boxes
        for corner in _corners(box)
    )
