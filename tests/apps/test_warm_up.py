"""The command `tetherlab warm-up`; that runs compile nothing after it is in tests/test_install.py."""

from tetherlab.apps import warm_up
from tetherlab.apps.cli import app
from tetherlab.contracts.extras import MissingExtraError
from tetherlab.scenario.library import packaged


def test_every_packaged_scenario_and_plan_is_begun():
    begun = " ".join(name for name, _ in warm_up._work())
    assert all(name in begun for kind in ("scenarios", "plans") for name in packaged(kind))


def test_what_needs_a_missing_extra_is_left_out_and_said(monkeypatch, capsys):
    done = []

    def lacking():
        raise MissingExtraError("small_gicp is not installed")

    work = [("maps", lacking), ("a tether", lambda: done.append("tether"))]
    monkeypatch.setattr(warm_up, "_work", lambda: iter(work))
    app(["warm-up"], result_action="return_value")
    assert done == ["tether"] and "left out maps: small_gicp is not installed" in capsys.readouterr().out
