"""`python -m validation [--only NAME ...]`: run the studies and write docs/validation.md.

Example: python -m validation --only peers random_runs marsupial viewer, those that take long. The others'
results are kept. `python -m validation --page` measures nothing and writes the page from what is stored:
after a change of the engine it says that its studies are older.
"""

import argparse
import importlib
import time
import traceback
from dataclasses import replace
from datetime import date

from validation.engine import fingerprint
from validation.table import PAGE, Row, load, save, write_page

STUDIES = ("catenary", "statics", "dynamics", "capstan", "reeling", "islands", "speed")
LONG = (
    "random_runs",
    "peers",
    "marsupial",
    "viewer",
    "localisation",
    "tether_inertial",
    "avocado_models",
    "avocado",
    "oxpecker_cable",
    "oxpecker_mapping",
    "oxpecker_landing",
    "oxpecker_coverage",
    "oxpecker_tour",
    "cooperative",
)  # run when asked for


def main() -> int:
    """Run what was asked for; the exit code is 1 if a study broke."""
    parser = argparse.ArgumentParser(
        prog="python -m validation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    order = (*STUDIES, *LONG)
    parser.add_argument(
        "--only", nargs="+", choices=order, default=STUDIES, metavar="NAME", help=f"of {', '.join(order)}"
    )
    parser.add_argument("--page", action="store_true", help="only write the page again")
    chosen = parser.parse_args()
    studies = load()
    if chosen.page:
        write_page(studies, order)
        return 0
    names = chosen.only
    engine = fingerprint()  # now: the sources may be edited while a study runs
    broken = 0
    for name in names:
        begin = time.perf_counter()
        print(f"{name} ...", flush=True)
        try:
            study = importlib.import_module(f"validation.{name}").run(say)
        except KeyboardInterrupt:
            print(f"\nstopped in {name}; {PAGE.name} has what was done before, older results of the rest")
            return 130
        except Exception:  # one broken study must not take the others with it
            traceback.print_exc()
            broken += 1
            continue
        studies[name] = replace(study, measured=date.today().isoformat(), engine=engine)
        save(studies, order)
        for row in study.rows:
            print("  " + line(row), flush=True)
        print(f"  {time.perf_counter() - begin:.0f} s", flush=True)
    print(f"wrote {PAGE.relative_to(PAGE.parent.parent)}")
    return 1 if broken else 0


def say(message: str) -> None:
    """Progress, for whoever waits."""
    print(f"  ... {message}", flush=True)


def line(row: Row) -> str:
    """A row for the terminal."""
    verdict = {True: "met   ", False: "MISSED", None: "      "}[row.met]
    target = f" [{row.target}]" if row.target else ""
    return f"{verdict} {row.quantity}: {row.measured} {row.unit}{target} {row.note}".rstrip()


if __name__ == "__main__":  # processes that a study starts import this, too
    raise SystemExit(main())
