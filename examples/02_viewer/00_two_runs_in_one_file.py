"""Two runs in one file: the same flight over a wall, with less and with more slack."""

import tempfile
from pathlib import Path

import tetherlab as tl
from tetherlab.report import write_report
from tetherlab.view.record import Record
from tetherlab.view.share import replay_page


def main(show=True):
    """Fly over a wall twice and lay one run over the other; returns both, and the page."""
    tight, loose = (tl.run("wall", {"winch.rule.factor": factor}) for factor in (1.3, 1.6))
    tight.name, loose.name = "30 % slack", "60 % slack"
    folder = Path("runs") if show else Path(tempfile.mkdtemp())
    page = write_report(tight, folder / "two_runs.html", compare=loose, replay=replay_page(tight, loose))
    if show:
        print(f"open {page} in a browser")
    return tight, loose, page


def check(result):
    """The page holds both runs in three dimensions, and the tether touches the wall in both."""
    tight, loose, page = result
    html = page.read_text(encoding="utf-8")
    assert "<iframe" in html and "60 % slack: drone" in html
    for log in (tight, loose):
        assert log.outcome is tl.Outcome.COMPLETED
        assert len(Record(log).begun_contacts) > 0
    assert max(loose["winch"]["length_m"]) > max(tight["winch"]["length_m"])


if __name__ == "__main__":
    check(main())
