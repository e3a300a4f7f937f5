"""`tetherlab plan`: what a team of robots should do, in words and symbols, and why it cannot."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tetherlab.contracts.errors import InputError

if TYPE_CHECKING:
    from tetherlab.assembly.cooperation import Executed
    from tetherlab.planning.plan import Plan
    from tetherlab.planning.problem import Problem
    from tetherlab.scenario.team_plan import TeamPlan

FLAG = Parameter(negative=())


def plan(
    problem: str,
    *,
    cells: int | None = None,
    time_limit_s: float | None = None,
    explain: Annotated[bool, FLAG] = False,
    picture: Path | None = None,
    out: Path | None = None,
    json: Annotated[bool, FLAG] = False,
    carry_out: Annotated[bool, FLAG] = False,
) -> None:
    """Plan for a team that works hand in hand, such as a UAV that carries a UGV's tether over a wall.

    Example: tetherlab plan over_the_wall --picture plan.svg --out plan.yaml

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
    out
        Write the plan, with all of the problem, to a YAML file, which `tetherlab run` carries out.
    json
        Print the plan for programs.
    carry_out
        Carry the plan out with flight, tether, winch and contact, and say how each step went; nothing is
        kept: that is what --out and `tetherlab run` are for.
    """
    from tetherlab.apps.plan_text import as_json, as_text
    from tetherlab.apps.written_files import make_room, refuse_overwriting, save_file
    from tetherlab.contracts import check
    from tetherlab.planning.cooperative import plan as search
    from tetherlab.scenario.team_plan import TeamPlan
    from tetherlab.scenario.team_problem import TeamProblem

    refuse_overwriting({"--out": out, "--picture": picture}, {"the problem": Path(problem)})
    if picture is not None:
        from tetherlab.report.figure_file import check_figure_path

        check_figure_path(picture)
    if out is not None:
        _check_plan_path(out)
        make_room(out)
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
    if not json:
        print(as_text(given.problem, found, explained=explain))
    written = TeamPlan.of(given, found) if found.status.has_plan else None
    done = _carry_out(written) if carry_out and written is not None else None
    if json:
        print(as_json(found, done))
    said = [] if done is None else [str(done)]
    if out is not None and written is not None:
        out = save_file(out, written.save)
        said.append(f"plan:    {out}\nrun it:  tetherlab run {quote(str(out))}")
    if picture is not None:
        _draw(given.problem, found, done, picture)
        said.append(f"picture: {picture}")
    if said and not json:
        print("\n" + "\n\n".join(said))
    if written is None or (done is not None and not done.succeeded):
        raise SystemExit(1)


def _carry_out(written: TeamPlan) -> Executed:
    """As `tetherlab run` would do it."""
    from rich.console import Console

    from tetherlab.assembly.cooperation import carry_out, execution_of

    with Console(stderr=True).status("compiling (the first time takes a minute)") as status:

        def say(share: float, sentence: str) -> None:
            status.update(sentence)

        return carry_out(written.problem, written.plan, execution_of(written.execution), progress=say)


def _check_plan_path(path: Path) -> None:
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise InputError(f"--out {path}: a plan is a YAML file: name it so that it ends in .yaml")


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
