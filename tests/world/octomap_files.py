"""Writes OctoMap binary trees for the tests: the reader's mirror image, recursive and slow."""

import struct

import numpy as np

HALF = 1 << 15


def octomap_bytes(occupied, resolution, *, free=(), coarse=(), coarse_free=()):
    """A `.bt` file: voxels `occupied` and `free` as keys (n, 3); pruned leaves as (key, edge)."""
    leaves = {(*map(int, key), 1): 2 for key in occupied}
    leaves |= {(*map(int, key), 1): 1 for key in free}
    leaves |= {(*map(int, key), edge): 2 for key, edge in coarse}
    leaves |= {(*map(int, key), edge): 1 for key, edge in coarse_free}
    cells = np.array([leaf[:3] for leaf in leaves]) + HALF
    edges, kinds = np.array([leaf[3] for leaf in leaves]), np.array(list(leaves.values()))
    nodes = [1]

    def write(lower, edge, members):
        """The two bytes of an inner node, then its inner children."""
        half = edge // 2
        bits, below = 0, []
        for child in range(8):
            corner = lower + half * np.array([child & 1, child >> 1 & 1, child >> 2 & 1])
            here = members[((cells[members] >= corner) & (cells[members] < corner + half)).all(axis=1)]
            if len(here) == 0:
                continue
            nodes[0] += 1
            if len(here) == 1 and edges[here[0]] == half:
                bits |= int(kinds[here[0]]) << 2 * child
            else:
                bits |= 3 << 2 * child
                below.append((corner, half, here))
        return struct.pack("<H", bits) + b"".join(write(*node) for node in below)

    data = write(np.zeros(3, dtype=int), 2 * HALF, np.arange(len(cells)))
    header = f"# Octomap OcTree binary file\n# a test\nid OcTree\nsize {nodes[0]}\nres {resolution}\ndata\n"
    return header.encode() + data
