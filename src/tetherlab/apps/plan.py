"""`tetherlab plan`: what a team of robots should do, in words and symbols, and why it cannot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from tetherlab.planning.plan import Plan
    from tetherlab.planning.problem import Problem
    from tetherlab.scenario.cooperation import Executed

FLAG = Parameter(negative=())


def plan(
    problem: str,
    *,
    cells: int | None = None,
    time_limit_s: float | None = None,
    explain: Annotated[bool, FLAG] = False,
    picture: Path | None = None,
    json: Annotated[bool, FLAG] = False,
    carry_out: Annotated[bool, FLAG] = False,
) -> None:
    """Plan for a team that works hand in hand, such as a UAV that carries a UGV's tether over a wall.

    Example: tetherlab plan over_the_wall --picture plan.svg

    Packaged problems: over_the_wall, with_an_arm. One's own is a YAML file that says what each robot can do.
    The status is 0 if there is a plan, 1 if there is none, the time was over, or it failed when carried out.

    Parameters
    ----------
    problem
        Packaged name, or a file.
    cells
        Along the longer side of the plane, instead of those of the problem.
    time_limit_s
        For the search, instead of that of the problem.
    explain
        If no plan exists, say what would have to be otherwise: which limit, which length, which guard.
    picture
        To write, as SVG, PNG or PDF.
    json
        Print the plan for programs.
    carry_out
        Carry the plan out with flight, tether, winch and contact, and say how each step went.
    """
    from tetherlab.apps.plan_text import as_json, as_text
    from tetherlab.contracts import check
    from tetherlab.planning.cooperative import plan as search
    from tetherlab.scenario.team_problem import TeamProblem

    if picture is not None:
        from tetherlab.report.figure_file import check_figure_path

        check_figure_path(picture)
    given = TeamProblem.load(problem)
    limit = (
        given.search.time_limit if time_limit_s is None else check.positive("--time-limit-s", time_limit_s)
    )
    found = search(
        given.problem,
        automata=given.automata,
        cells=given.search.cells if cells is None else cells,
        time_limit=limit,
        explain=explain,
    )
    print(as_json(found) if json else as_text(given.problem, found, explained=explain))
    done = _carry_out(given.problem, found) if carry_out and found.status.has_plan else None
    if done is not None and not json:
        print(f"\n{done}")
    if picture is not None:
        _draw(given.problem, found, done, picture)
        if not json:
            print(f"\npicture: {picture}")
    if not found.status.has_plan or (done is not None and not done.succeeded):
        raise SystemExit(1)


def _carry_out(problem: Problem, found: Plan) -> Executed:
    from tetherlab.scenario.cooperation import carry_out

    return carry_out(problem, found)


def _draw(problem: Problem, found: Plan, done: Executed | None, picture: Path) -> None:
    """The plan, or that and what came of it."""
    from tetherlab.report.carried_out_figure import draw_carried_out
    from tetherlab.report.figure_file import write_figure
    from tetherlab.report.plan_figure import draw_plan

    if done is None:
        figure = draw_plan(problem, found)
    else:
        figure = draw_carried_out(problem, found, done.log, done.lift)
    write_figure(figure, picture)
