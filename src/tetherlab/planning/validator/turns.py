"""Whose turn it may be, as the judge of plans sees it: the events of the paper's team, written out.

Paper 004, section 5 (E1 to E23), and the two of the arm in section 5.3. Locations of other teams are any
objects but integers: there only the chain is judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from tetherlab.planning.plan import Step

START = 1
EVENTS = {
    (1, "δ", 9), (9, "β", 3), (3, "δ", 9), (4, "γ'", 5), (1, "a", 2), (3, "a", 2), (3, "d", 4),
    (5, "r'", 6), (5, "f'", 7), (5, "a'", 10), (6, "a'", 10), (6, "f'", 7), (7, "a'", 10), (7, "r'", 6),
    (7, "f'", 7), (10, "f'", 7), (10, "r'", 6), (10, "ζ", 11), (11, "η", 12),
}  # fmt: skip
ENDS = {2, 3, 5, 6, 7, 10, 12}  # from which κ leads to the end


def symbol(label: str) -> str:
    """Of a label, without the name of its owner."""
    return label.partition(":")[0]


def turn_faults(steps: tuple[Step, ...]) -> Iterator[str]:
    """What is wrong with the order of the steps, one sentence per fault."""
    if not steps or all(step.source is None and step.target is None for step in steps):
        return
    paper = isinstance(steps[0].source, int)
    if paper and steps[0].source != START:
        yield f"step 1, {steps[0].label}: starts at location {steps[0].source}, the team is at {START}"
    for i, step in enumerate(steps, 1):
        if i > 1 and step.source != steps[i - 2].target:
            yield (
                f"step {i}, {step.label}: starts at location {step.source}, "
                f"the step before it led to {steps[i - 2].target}"
            )
        if paper and (step.source, symbol(step.label), step.target) not in EVENTS:
            yield f"step {i}, {step.label}: no such event leads from {step.source} to {step.target}"
    if paper and steps[-1].target not in ENDS:
        yield f"step {len(steps)}, {steps[-1].label}: location {steps[-1].target} has no κ to end with"
