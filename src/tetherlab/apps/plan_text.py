"""A plan as text, and as numbers for programs."""

from __future__ import annotations

from json import dumps

from tetherlab.assembly.cooperation_result import Executed
from tetherlab.planning.plan import Plan
from tetherlab.planning.problem import Problem
from tetherlab.planning.schedule import schedule


def as_text(problem: Problem, plan: Plan, *, explained: bool) -> str:
    """Symbols, then a sentence for each step with the time it begins; or why there is none."""
    if not plan.status.has_plan:
        lines = [f"{plan.status.value}."]
        lines += [f"  - {reason}" for reason in plan.reasons]
        if not explained:
            lines.append("`--explain` says why.")
        return "\n".join(lines)
    if not plan.steps:
        return "plan: nothing is to be done, all are at their goals"
    metric = problem.costs.kind == "metric"
    unit, in_words = (" m", " m of driving") if metric else ("", " of paper 004, which are no metres")
    lines = [f"plan: {plan.symbols}", f"cost: {plan.cost:.2f}{in_words} ({plan.status.value})", ""]
    wide = max(len(step.label) for step in plan.steps)
    times = schedule(problem, plan)
    for number, (step, start, _) in enumerate(times.slots, 1):
        lines.append(
            f"{number:3d}. {start:5.0f} s  {step.label.ljust(wide)}  {step.sentence}  [{step.cost:.2f}{unit}]"
        )
    side_by_side = "" if times.duration > 0.999 * times.in_turns else f", {times.in_turns:.0f} s in turns"
    lines += ["", f"takes about {times.duration:.0f} s{side_by_side}"]
    lines += [f"set up in {1e3 * plan.setup_time:.0f} ms, searched in {1e3 * plan.search_time:.1f} ms"]
    return "\n".join(lines)


def as_json(plan: Plan, done: Executed | None = None) -> str:
    """Everything of it, and what came of it."""
    steps = [
        {
            "label": step.label,
            "agent": step.agent,
            "partner": step.partner,
            "sentence": step.sentence,
            "cost_m": step.cost,
            "way_m": step.way.tolist(),
            "tether_m": None if step.tether is None else step.tether.tolist(),
            "hinge_m": None if step.hinge is None else list(step.hinge),
        }
        for step in plan.steps
    ]
    data: dict[str, object] = {
        "status": plan.status.name.lower(),
        "sentence": plan.status.value,
        "labels": list(plan.labels),
        "cost_m": plan.cost if plan.steps else None,
        "steps": steps,
        "reasons": list(plan.reasons),
        "setup_s": plan.setup_time,
        "search_s": plan.search_time,
        "counts": plan.counts,
    }
    if done is not None:
        data["carried_out"] = _carried_out(done)
    return dumps(data, indent=2, ensure_ascii=False)


def _carried_out(done: Executed) -> dict[str, object]:
    return {
        "succeeded": done.succeeded,
        "sentence": done.log.outcome_sentence,
        "goal_errors_m": done.errors,
        "plans": [list(plan.labels) for plan in done.plans],
        "steps": [
            {
                "label": step.label,
                "agent": step.agent,
                "planned_m": step.planned,
                "ended_m": step.place,
                "from_s": step.start,
                "to_s": step.end,
                "tension_max_N": step.tension_peak,
                "trouble": step.trouble,
            }
            for step in done.steps
        ],
    }
