"""The compile cache: kept from run to run, and given up when a source changes that its code may hold."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tetherlab
from tetherlab.math.cache import LAYERS

CALLEE = "from tetherlab.math.kernel import kernel\n\n@kernel\ndef callee(x):\n    return x + {}\n"
CALLER = """
from numba import njit
from tetherlab.math.callee import callee

@njit(cache=True)
def caller(x):
    return callee(x)
"""
RUN = "from tetherlab.math.caller import caller; print(caller(1.0), sum(caller.stats.cache_hits.values()))"


@pytest.fixture
def package(tmp_path):
    """A package with the machinery of this one, and nothing else to import."""
    room = tmp_path / "tetherlab" / "math"
    shutil.copytree(
        Path(tetherlab.__file__).parent / "math", room, ignore=shutil.ignore_patterns("__pycache__")
    )
    (room.parent / "__init__.py").touch()
    (room / "callee.py").write_text(CALLEE.format(1.0))
    (room / "caller.py").write_text(CALLER)
    return room


def run(package, code=RUN, **changes):
    environment = {**os.environ, "PYTHONPATH": str(package.parents[1]), "NUMBA_CACHE_DIR": "", **changes}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_a_function_is_compiled_again_when_one_that_it_calls_has_changed(package):
    assert run(package) == ["2.0", "0"]
    assert run(package) == ["2.0", "1"]
    (package / "callee.py").write_text(CALLEE.format(2.0))
    assert run(package) == ["3.0", "0"]


def test_it_is_kept_when_only_a_room_above_has_changed(package):
    above = package.parent / "sim" / "above.py"
    above.parent.mkdir()
    above.touch()
    assert run(package) == ["2.0", "0"]
    above.write_text("CHANGED = True\n")
    assert run(package) == ["2.0", "1"]


def test_it_is_given_up_when_a_room_below_has_changed(package):
    above, below = package.parent / "sim" / "above.py", package.parent / "world" / "below.py"
    for path in (above, below):
        path.parent.mkdir()
    above.write_text(CALLER)
    below.touch()
    code = RUN.replace("tetherlab.math.caller", "tetherlab.sim.above")
    assert run(package, code) == ["2.0", "0"]
    assert run(package, code) == ["2.0", "1"]
    below.write_text("CHANGED = True\n")
    assert run(package, code) == ["2.0", "0"]


def test_the_layers_are_those_that_imports_are_checked_by():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    rooms = [[room.strip(" ()") for room in layer.split("|")] for layer in layers]
    assert [set(layer) for layer in LAYERS] == [set(layer) for layer in reversed(rooms)][: len(LAYERS)]


def test_an_old_file_that_cannot_be_removed_is_left_alone(package):
    (package / "__pycache__" / "old-tetherlabold.py311.nbi").mkdir(parents=True)
    assert run(package, HOME="/dev/null/none") == ["2.0", "0"]
    (package / "callee.py").write_text(CALLEE.format(2.0))
    assert run(package, HOME="/dev/null/none") == ["3.0", "0"]
    assert run(package, HOME="/dev/null/none") == ["3.0", "1"]


def test_a_function_that_moves_leaves_nothing_behind(package):
    run(package)
    before = sorted(package.rglob("caller*.nb?"))
    (package / "caller.py").write_text("# One more line.\n" + CALLER)
    run(package)
    assert before
    after = sorted(package.rglob("caller*.nb?"))
    assert len(after) == len(before)
    assert set(after).isdisjoint(before)


def test_an_argument_whose_class_is_no_more_does_not_stand_in_the_way(package):
    source = CALLER + "\nfrom typing import NamedTuple\nclass Old(NamedTuple):\n    x: float\n"
    source += "\n@njit(cache=True)\ndef first(pair):\n    return pair[0]\n\nfirst(Old(1.0))\n"
    (package / "caller.py").write_text(source)
    run(package)
    (package / "caller.py").write_text(source.replace("Old", "New"))
    assert run(package) == ["2.0", "0"]
