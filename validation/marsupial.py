"""A marsupial team: what its runs promise, and the paper's tables beside ours; about ten minutes.

The five runs of the paper are flown once, for both.
"""

from collections.abc import Callable, Iterable

from tetherlab.contracts.log import Log
from tetherlab.studies import marsupial
from tetherlab.studies import rows as found
from validation import marsupial_promises as promises
from validation.table import Row, Study, number


def run(say: Callable[[str], None]) -> Study:
    """Repeat the paper's experiments, look at their logs, and fly what else was promised."""
    hour = promises.memory(say)  # first: a process begins with the peak of the one that starts it
    logs: dict[str, Log] = {}
    rows: dict[str, found.Row] = {}
    marsupial.run(lambda row: rows.update({row.quantity: row}), _once(say), logs.__setitem__)
    kept = [*promises.followed(logs), *promises.feed_forward(say), promises.repeats(say), hour]
    return study(kept, rows.values())


def study(kept: Iterable[Row], rows: Iterable[found.Row]) -> Study:
    """Promises, then the rows of the reproduction; only what is better when smaller or larger is judged."""
    return Study(
        title="A marsupial team: drone, ground robot, winch and tether",
        model=(
            "The packaged scenarios, which have the parameters that the paper's authors publish. "
            "Feed-forward: the first three minutes of `opposite`, in calm air and in 8 m/s with gusts of "
            "1.2 m/s (standard deviation). Then Tables III and IV of Maese, Caballero and Merino, repeated. "
            "III: a tether 20 % longer than the distance of its level ends, released as a V and left to "
            "settle; error to the nearest point of the catenary, as in the paper, and at equal arc length. "
            "IV: the five scenarios."
        ),
        truth=(
            "The numbers that the paper prints; for the errors the catenary. Where a row of Table IV "
            "differs by more than 15 %, its note names what was changed and what the same run then gave."
        ),
        rows=[*kept, *map(_judged, rows)],
    )


def _judged(row: found.Row) -> Row:
    target, met = "" if row.paper is None else f"paper {row.paper:g}", None
    if row.paper is not None and "catenary error" in row.quantity:
        target, met = f"≤ {row.paper:g} (paper)", row.here <= row.paper
    elif row.paper is not None and "real-time factor" in row.quantity:
        target, met = f"≥ {row.paper:g} (paper)", row.here >= row.paper
    return Row(row.quantity, row.unit, target, number(row.here), met, row.note)


def _once(say: Callable[[str], None]) -> Callable[[str], None]:
    """Say only what begins, not how far it is."""
    last = [""]

    def said(text: str) -> None:
        head = text.split(": ")[0]
        if head != last[0]:
            last[0] = head
            say(head)

    return said
