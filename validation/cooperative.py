"""The study of paper 004 with what was promised of it, and a thousand random worlds; some minutes."""

from collections import Counter
from collections.abc import Callable

from tetherlab.planning.abilities import abilities
from tetherlab.studies import cooperative
from tetherlab.studies.cooperative_carried_out import CARRIED_OUT, OFF
from tetherlab.studies.cooperative_flight import ARRIVED, FARTHEST, WITHIN, WORLDS
from tetherlab.studies.cooperative_plans import DRAWN, GRIDS
from tetherlab.studies.cooperative_speed import BOXES, CROWDED, team
from tetherlab.studies.workers import on_all_cores
from validation.planned_worlds import COSTS_DIFFER, FAULT, UNFOUND, UNREAL, Judged, judge
from validation.repeated import Promise, repeat
from validation.table import Row, Study, at_least, at_most, reported, within

Say = Callable[[str], None]
SEEDS = 1000
SEARCH_MS, SETUP_MS, CROWDED_S = 5.0, 1000.0, 10.0
STEPS = {"UAV and UGV": 6.0, "UAV, UGV and arm": 9.0, "two UGVs": 5.0}  # of the plans of the paper
CAPTIONS = {
    "minimal_join": "Two automata and their join, as Fig. 3; dashed is what can never happen.",
    "uav_ugv_join": "UAV, UGV, and both, as Fig. 5.",
    "arm_join": "With a manipulator, as Fig. 8.",
    "dual_ugv_join": "A walking and a wheeled UGV, section 6.1.",
    "classes": "Classes of tethers with the cells of their hinges, as Fig. 6; the white one is the anchor.",
    "supercells": "Where each activity can go on, one colour for cells that hang together.",
    "plan": "The plan over the wall, as Fig. 7.",
    "arm_plan": "The same with an arm that loads the UGV.",
    "over_the_wall_carried_out": "The plan over the wall, carried out.",
    "with_an_arm_carried_out": "And that with the arm.",
}


def promise(name: str) -> Promise | None:
    """What a row must reach, if anything."""
    who, _, what = name.partition(": ")
    if what in ("labels as printed", DRAWN):
        return lambda q, u, v, n: at_least(q, u, STEPS[who], v, n)
    if what.startswith("grids with the same plan"):
        return lambda q, u, v, n: at_least(q, u, len(GRIDS), v, n)
    if what.startswith("search, median"):
        return lambda q, u, v, n: at_most(q, u, SEARCH_MS, v, n)
    if what.startswith("set-up, median"):
        return lambda q, u, v, n: at_most(q, u, SETUP_MS, v, n)
    if name.startswith("locations of a team of ") and "product" not in name:
        size = int(name.rpartition(" ")[2])
        together = 2.0 + sum(len(abilities(agent)) for agent in team(size))
        return lambda q, u, v, n: within(q, u, together, 0.0, v, n)
    if name.startswith(f"a wall and {BOXES} random boxes"):
        return {
            "plans": lambda q, u, v, n: at_least(q, u, CROWDED, v, n),
            "plans that the judge refuses": lambda q, u, v, n: at_most(q, u, 0.0, v, n),
            "set-up and search, slowest": lambda q, u, v, n: at_most(q, u, CROWDED_S, v, n),
        }[what]
    if what == CARRIED_OUT:
        return lambda q, u, v, n: at_least(q, u, STEPS[who], v, n)
    if what == OFF or name == FARTHEST:
        return lambda q, u, v, n: at_most(q, u, WITHIN, v, n)
    if name == ARRIVED:
        return lambda q, u, v, n: at_least(q, u, float(WORLDS), v, n)
    if what == "plans of single robots":
        return lambda q, u, v, n: at_most(q, u, 0.0, v, n)
    if what == "the same plan by join and plane":
        return lambda q, u, v, n: at_least(q, u, 1.0, v, n)
    return None


def run(say: Say) -> Study:
    """Repeat the paper, then plan in random worlds."""
    rows, pictures, remarks = repeat(cooperative, say, promise, CAPTIONS, "cooperative")
    judged = []
    for _, found in on_all_cores(judge, range(SEEDS)):
        judged.append(found)
        if len(judged) % 100 == 0:
            say(f"{len(judged)} of {SEEDS} random worlds")
    return Study(
        title="Cooperative planning",
        model=(
            "`tetherlab reproduce cooperative`: the three teams of paper 004. Random worlds: one or two "
            "walls, lintels, perches, a UAV and a UGV whose tether, winch, perch or latch may not do."
        ),
        truth=(
            "Plans as printed. In random worlds a search without heuristic, with geometry of its own, and a "
            "judge that replays each step; neither shares code with the planner."
        ),
        rows=[*rows, *world_rows(judged)],
        pictures=pictures,
        text=remarks,
    )


def world_rows(judged: list[Judged]) -> list[Row]:
    """What random worlds came to."""
    where, solvable = f"{len(judged)} random worlds", sum(found.solvable for found in judged)
    names = {
        FAULT: "plans that the judge refuses",
        COSTS_DIFFER: "plans that are not the cheapest",
        UNFOUND: "plans that are missed, or no answer",
        UNREAL: "plans where none exists",
    }
    kinds = Counter(found.kind for found in judged if found.solvable)
    told = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    rows = [reported(f"{where}: with a plan", "", str(solvable), told)]
    for word, name in names.items():
        bad = [found.seed for found in judged if any(fault.startswith(word) for fault in found.faults)]
        seeds = f"seeds {', '.join(map(str, bad[:12]))}" if bad else ""
        rows.append(at_most(f"{where}: {name}", "", 0.0, len(bad), seeds))
    return rows
