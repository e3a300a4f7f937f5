"""`python -m validation [--only NAME ...] [--bench]`: run the studies and write docs/validation.md."""

import argparse
import importlib
import time
import traceback

from validation.table import PAGE, Row, load, save

STUDIES = ("catenary", "statics", "dynamics", "capstan", "reeling", "speed")


def main() -> int:
    """Run what was asked for; the exit code is 1 if a study broke."""
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=STUDIES, default=STUDIES, metavar="NAME")
    parser.add_argument("--bench", action="store_true", help="also compare with MuJoCo and MoorDyn")
    chosen = parser.parse_args()
    names = [*chosen.only, *(["peers"] if chosen.bench else [])]
    order = (*STUDIES, "peers")
    studies = load()
    broken = 0
    for name in names:
        begin = time.perf_counter()
        print(f"{name} ...", flush=True)
        try:
            study = importlib.import_module(f"validation.{name}").run(say)
        except Exception:  # one broken study must not take the others with it
            traceback.print_exc()
            broken += 1
            continue
        studies[name] = study
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


raise SystemExit(main())
