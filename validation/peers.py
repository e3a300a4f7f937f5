"""Other engines on the same scene: the rows of `tetherlab bench tether`; on request, it takes minutes."""

from collections.abc import Callable

from tetherlab.apps.bench import run_tether_bench
from tetherlab.apps.bench.table import markdown
from validation.table import Study


def run(say: Callable[[str], None]) -> Study:
    """The 12 m scene with three element lengths."""
    rows = run_tether_bench(lengths=(12.0,), elements=(0.20, 0.10, 0.05), progress=say)
    return Study(
        title="Peers",
        model=(
            "The moving end of the dynamics study, in each engine with the fastest setting that meets the"
            " error line."
        ),
        truth=("The same reference; speed as a ratio within one process."),
        text=markdown(rows),
    )
