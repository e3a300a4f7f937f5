"""The compile cache: kept from run to run, and given up when a source changes that its code may hold."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tetherlab
from tetherlab.math.cache import LAYERS, TEMPORARY

CALLEE = "from tetherlab.math.kernel import kernel\n\n@kernel\ndef callee(x):\n    return x + {}\n"
CALLER = """
from tetherlab.math.kernel import njit
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


def start(package, code=RUN, **changes):
    environment = {**os.environ, "PYTHONPATH": str(package.parents[1]), "NUMBA_CACHE_DIR": "", **changes}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )


def run(package, code=RUN, **changes):
    return start(package, code, **changes).stdout.split()


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


@pytest.fixture
def read_only(package, tmp_path):
    """No place for a cache beside the package, and no home, also for root."""
    (package / "__pycache__").write_text("not a folder")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    return (
        package,
        temporary,
        {"HOME": "/dev/null/none", "XDG_CACHE_HOME": "/dev/null/none", "TMPDIR": str(temporary)},
    )


def test_where_nothing_can_be_written_code_is_kept_in_a_private_temporary_folder(read_only):
    package, temporary, environment = read_only
    two = RUN + "; from tetherlab.math.attitude import *"
    first = start(package, two, **environment)
    assert first.stdout.split() == ["2.0", "0"]
    (folder,) = temporary.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert first.stderr.startswith("tetherlab: ") and first.stderr.count("\n") == 1
    assert str(folder) in first.stderr
    assert run(package, **environment) == ["2.0", "1"]  # the next run reads it
    assert list(temporary.iterdir()) == [folder]


@pytest.mark.parametrize("kind", ["open to others", "a link", "of somebody else"])
def test_code_is_not_read_from_a_folder_that_others_can_write(read_only, tmp_path, kind):
    package, temporary, environment = read_only
    trap = temporary / f"{TEMPORARY}a"
    if kind == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        trap.symlink_to(tmp_path / "elsewhere")
    else:
        trap.mkdir(mode=0o700)
    if kind == "open to others":
        trap.chmod(0o770)
    if kind == "of somebody else":
        if os.geteuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(trap, 65534, 65534)
    assert run(package, **environment) == ["2.0", "0"]
    assert list(trap.iterdir()) == []
    assert run(package, **environment) == ["2.0", "1"]


def test_without_any_folder_functions_are_compiled_in_each_process(read_only):
    package, _, environment = read_only
    code = "import tempfile; tempfile.tempdir = '/dev/null/none'; " + RUN
    for _ in range(2):
        done = start(package, code, **environment)
        assert done.stdout.split() == ["2.0", "0"]
        assert done.stderr.startswith("tetherlab: no folder can be written") and done.stderr.count("\n") == 1


NOTICE = "import tetherlab.math.compile_notice as notice; notice.NOTICE_AFTER = 0.0; "


def test_compiling_is_announced_once_and_reading_the_cache_is_not(package):
    both = RUN + "; from tetherlab.math.callee import callee; print(callee(1.0))"
    said = start(package, NOTICE + both).stderr
    assert said.startswith("tetherlab: compiling the engine") and said.count("\n") == 1
    done = start(package, NOTICE + both)
    assert done.stderr == "" and done.stdout.split() == ["2.0", "1", "2.0"]


def test_functions_of_users_are_not_taken_for_the_engine(package):
    code = "from tetherlab.math.kernel import njit; import numba; print(numba.njit(lambda x: x + 1.0)(1.0))"
    done = start(package, NOTICE + code)
    assert done.stdout == "2.0\n" and done.stderr == ""
