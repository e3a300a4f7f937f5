"""A drone maps a face of a mine pillar twice, and finds what fell off in between.

Both flights have the sensors of the inspection drone. Visual odometry drifts; radio, altimeter and tether
hold it, and what is seen twice takes away the rest. The maps are written as PLY files, for any viewer.
"""

import tempfile
from pathlib import Path

import numpy as np

from tetherlab.mapping import build_map, compare_maps, load_ply, save_ply
from tetherlab.studies.oxpecker_survey import Survey, SurveySpec
from tetherlab.world.mine import Mine
from tetherlab.world.mine_face import Spall

MINE = Mine(seed=5, pillar=(4.0, 4.0), irregularity=0.0, height=2.0, entry=10.0)
SPALL = Spall(pillar="pillar_1", side="south", along=2.6, up=1.0, width=0.3, depth=0.1)


def fly_and_map(mine, seed, path):
    """Fly two rows along the face, map it, and save the map; returns it and the flight."""
    survey = Survey(mine, mine.face("pillar_1", "south"), SurveySpec(), seed)
    found = build_map(survey.images, survey.fuse().track())
    save_ply(found.cloud, path)
    return found, survey


def main(show=True):
    """Map the face before and after; returns both maps, the flights and the difference."""
    folder = Path("runs") if show else Path(tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    before, first = fly_and_map(MINE, 1, folder / "before.ply")
    after, _ = fly_and_map(MINE.with_spalls([SPALL]), 2, folder / "after.ply")
    # Visits that lie months apart are compared by their files; those of runs, map_WALL.ply, are alike.
    difference = compare_maps(load_ply(folder / "before.ply"), load_ply(folder / "after.ply"))
    if show:
        print(
            f"{len(before.cloud.points)} points in {folder / 'before.ply'},"
            f" {len(after.cloud.points)} in {folder / 'after.ply'}"
        )
        for change in difference.changes:
            x, y, z = change.position
            print(
                f"{1000 * change.volume:.1f} l are gone at ({x:.2f}, {y:.2f}, {z:.2f}) m:"
                f" {change.width:.2f} m wide, {change.depth:.2f} m deep"
            )
    return before, first, difference


def check(result):
    """The map is on the rock within centimetres; the one spall is found and measured."""
    before, survey, difference = result
    face = survey.face
    u, v, h = face.in_face(before.cloud.points).T
    on_face = (u > 0.2) & (u < face.width - 0.2) & (v > 0.2) & (v < face.height - 0.2) & (np.abs(h) < 0.6)
    assert np.sqrt(np.mean(survey.world.distance(before.cloud.points[on_face]) ** 2)) < 0.05
    lost = [change for change in difference.changes if change.depth > 0.0]
    assert len(lost) == 1
    assert np.linalg.norm(lost[0].position - face.points(SPALL.along, SPALL.up)) < 0.15
    assert abs(lost[0].depth - SPALL.depth) < 0.03 and abs(lost[0].width - SPALL.width) < 0.08


if __name__ == "__main__":
    check(main())
