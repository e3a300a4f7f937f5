"""A problem of one's own, from a file: who can do what, and two walls in the way.

Automata are assembled from what each robot can do. Whoever lacks an ability is named when there is no plan.
"""

import tempfile
from pathlib import Path

from tetherlab.planning.cooperative import plan
from tetherlab.planning.validator import validate
from tetherlab.report.figure_file import write_figure
from tetherlab.report.plan_figure import draw_plan
from tetherlab.scenario.team_problem import TeamProblem

FILE = Path(__file__).parent / "two_walls.yaml"


def without(ability):
    """The problem, in which nobody has an ability: a line of the file is left out."""
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if f" {ability}: " not in line]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "without.yaml"
        path.write_text("\n".join(lines), encoding="utf-8")
        return TeamProblem.load(path).problem


def main(show=True):
    """Plan; then once more without latch and without perch."""
    problem = TeamProblem.load(FILE).problem
    found = plan(problem)
    refused = {ability: plan(without(ability)) for ability in ("latch", "perch")}
    if show:
        print(found, "\n")
        for ability, answer in refused.items():
            print(f"without {ability}: {answer}\n")
        folder = Path("runs")
        folder.mkdir(exist_ok=True)
        print(write_figure(draw_plan(problem, found), folder / "two_walls.svg"))
    return problem, found, refused


def check(result):
    """The rover comes over both walls, and each missing ability is named."""
    problem, found, refused = result
    assert found.symbols == "δ β d γ' f' f' a'" and not validate(problem, found)
    assert found.steps[4].hinge == (3.0, 1.6)
    assert refused["latch"].reasons[0].startswith("nobody can latch the tether (d)")
    assert refused["perch"].reasons[0].startswith("nobody can land and perch")


if __name__ == "__main__":
    check(main())
