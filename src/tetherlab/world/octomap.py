"""Reads OctoMap binary trees (`.bt`).

A header of text lines, the first one fixed, gives the kind of tree, its node count and its resolution. Then
every inner node, depth first, is two bytes: two bits for each of its eight children, lowest bits first, 0
unknown, 1 free leaf, 2 occupied leaf, 3 inner node. Bits 0, 1 and 2 of a child's number choose the upper
half of its parent's cube along x, y and z. The tree is 16 levels deep and centred on the origin.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import read_bytes
from tetherlab.math.kernel import njit

MAGIC = b"# Octomap OcTree binary file"
DEPTH = 16
HALF = 1 << (DEPTH - 1)  # voxels on either side of the origin
FREE, OCCUPIED, INNER = 1, 2, 3
TRUNCATED, TOO_DEEP = -1, -2
RESOLUTIONS = (1e-5, 1e3)  # least and most [m]
VOXELS_FREE, VOXELS_PER_BYTE = 5_000_000, 200  # occupied ones, of a file of any size, and by its bytes


@njit(cache=True)
def _walk(data, wanted, leaves):
    """Visit the tree; fill `leaves` (n, 4) with the leaves of the wanted kind: lowest voxel (3) and edge in
    voxels, or only count them if it has no rows.

    Returns the number of leaves (or a negative status), nodes and bytes.
    """
    origin = np.empty((DEPTH + 1, 3), dtype=np.int64)  # corner of the node at each level of the path
    children = np.zeros(DEPTH + 1, dtype=np.int64)  # its two bytes
    child = np.zeros(DEPTH + 1, dtype=np.int64)  # its child to be visited next
    origin[0] = -HALF
    count, node_count, position, level = 0, 1, 0, 0
    entering = True
    while level >= 0:
        if entering:
            if position + 2 > data.size:
                return TRUNCATED, node_count, position
            children[level] = data[position] | (np.int64(data[position + 1]) << 8)
            child[level] = 0
            position += 2
            entering = False
        if child[level] == 8:
            level -= 1
            continue
        c = child[level]
        child[level] += 1
        kind = (children[level] >> (2 * c)) & 3
        if kind == 0:
            continue
        node_count += 1
        edge = 1 << (DEPTH - level - 1)
        x = origin[level, 0] + edge * (c & 1)
        y = origin[level, 1] + edge * ((c >> 1) & 1)
        z = origin[level, 2] + edge * ((c >> 2) & 1)
        if kind == INNER:
            if level + 1 == DEPTH:
                return TOO_DEEP, node_count, position
            level += 1
            origin[level, 0], origin[level, 1], origin[level, 2] = x, y, z
            entering = True
        elif kind == wanted:
            if leaves.shape[0] > 0:
                leaves[count, 0], leaves[count, 1], leaves[count, 2], leaves[count, 3] = x, y, z, edge
            count += 1
    return count, node_count, position


@njit(cache=True)
def _voxels(leaves):
    """All voxels of the leaves, (n, 3): a pruned leaf stands for all voxels of its cube."""
    keys = np.empty(((leaves[:, 3] ** 3).sum(), 3), dtype=np.int64)
    count = 0
    for n in range(leaves.shape[0]):
        x, y, z, edge = leaves[n, 0], leaves[n, 1], leaves[n, 2], leaves[n, 3]
        for i in range(edge):
            for j in range(edge):
                for k in range(edge):
                    keys[count, 0], keys[count, 1], keys[count, 2] = x + i, y + j, z + k
                    count += 1
    return keys


def read_octomap(path: Path) -> tuple[NDArray[np.int64], float]:
    """Occupied voxels of a `.bt` file as integer keys, (n, 3), and the edge of a voxel [m].

    Voxel `k` is the cube from `resolution * k` to `resolution * (k + 1)`. Unknown space is not occupied.
    """
    leaves, resolution = read_leaves(path, OCCUPIED)
    voxels, allowed = int((leaves[:, 3] ** 3).sum()), max(VOXELS_FREE, VOXELS_PER_BYTE * path.stat().st_size)
    if voxels > allowed:
        raise InputError(
            f"{path}: its leaves stand for {voxels / 1e6:.0f} million occupied voxels, more than"
            f" {allowed / 1e6:.0f} million for a file of its size"
        )
    return _voxels(leaves), resolution


def read_leaves(path: Path, wanted: int) -> tuple[NDArray[np.int64], float]:
    """Leaves of a kind, FREE or OCCUPIED: lowest voxel (3) and edge in voxels, (n, 4); resolution [m]."""
    content = read_bytes(path)
    lines, start = _header(path, content)
    if lines.get("id") != "OcTree":
        raise InputError(f"{path}: only trees of id OcTree can be read, got {lines.get('id')!r}")
    try:
        size, resolution = int(lines["size"]), float(lines["res"])
    except (KeyError, ValueError):
        raise InputError(f"{path}: the header must give size and res as numbers") from None
    if not RESOLUTIONS[0] <= resolution <= RESOLUTIONS[1]:
        low, high = RESOLUTIONS
        raise InputError(f"{path}: res must be from {low:g} to {high:g} m, got {resolution:g}")
    if size == 0:
        raise InputError(f"{path}: the map is empty")
    data = np.frombuffer(content, dtype=np.uint8, offset=start)
    count, node_count, position = _walk(data, wanted, np.empty((0, 4), dtype=np.int64))
    if count == TRUNCATED:
        raise InputError(
            f"{path}: the file ends in the middle of the tree, after {node_count} of {size} nodes"
        )
    if count == TOO_DEEP or node_count != size or position != data.size:
        raise InputError(f"{path}: the tree does not match its header of {size} nodes; the file is damaged")
    if count == 0:
        raise InputError(f"{path}: the map has no {'free' if wanted == FREE else 'occupied'} voxel")
    leaves = np.empty((count, 4), dtype=np.int64)
    _walk(data, wanted, leaves)
    return leaves, resolution


def _header(path: Path, content: bytes) -> tuple[dict[str, str], int]:
    """The header's words by their first one, and where the tree begins."""
    if not content.startswith(MAGIC):
        raise InputError(
            f"{path}: not an OctoMap binary tree, since it does not begin with {MAGIC.decode()!r}"
        )
    end = content.find(b"\ndata\n")
    if end < 0:
        raise InputError(f"{path}: the header has no line 'data'")
    lines = content[:end].decode("ascii", errors="replace").splitlines()
    words = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return {word[0]: word[1].strip() for word in words if len(word) == 2}, end + len(b"\ndata\n")
