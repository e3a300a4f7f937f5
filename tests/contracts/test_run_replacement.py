"""A run saved over another: whatever fails, at every moment one of them is complete on the disk."""

import errno
import os
import re
import tempfile

import pytest

import tetherlab as tl
from full_disks import fill, small_disk
from synthetic_runs import circling
from tetherlab.apps.cli import main
from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.log import Log
from tetherlab.contracts.run_replacement import KEPT

OLD, NEW = 2.0, 1.0  # how long the runs last [s]
CALLS = ("replace", "unlink", "link", "mkdir", "rmdir")
pytestmark = pytest.mark.filterwarnings("ignore:Cyclopts application invoked without tokens")


def older_run():
    log = circling(duration=OLD)
    log.maps = {"wall": Cloud([[0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]], [0])}
    return log


def newer_run():
    log = circling(duration=NEW)
    log.tables["power"] = log.tables["winch"]
    return log


@pytest.fixture
def folder(tmp_path):
    folder = older_run().save(tmp_path / "run")
    (folder / "report.html").write_text("of the older run")
    return folder


def complete(folder):
    """Durations of the runs that can be loaded, under the name of the folder and beside."""
    found = {}
    for place in (folder, *folder.glob(f"{KEPT}*")):
        try:
            log = Log.load(place)
        except tl.InputError:
            continue
        found[place] = log.duration
        assert set(log.tables) == set((older_run() if log.duration == OLD else newer_run()).tables)
    return found


class Faults:
    """Counts calls of the operating system that change names, and lets some of them fail."""

    def __init__(self, monkeypatch, fails=lambda count, name: False, look=lambda: None):
        self.count, self._fails, self._look, self._busy = 0, fails, look, False
        for name in CALLS:
            monkeypatch.setattr(os, name, self._wrapped(name, getattr(os, name)))

    def _wrapped(self, name, function):
        def called(*arguments, **options):
            if self._busy:  # the looking itself
                return function(*arguments, **options)
            self._busy = True
            try:
                self._look()
            finally:
                self._busy = False
            self.count += 1
            if self._fails(self.count, name):
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(arguments[0]))
            return function(*arguments, **options)

        return called


def test_a_power_failure_at_any_moment_leaves_a_complete_run(folder, monkeypatch):
    seen = []

    def look():
        found = complete(folder)
        assert OLD in found.values() or found == {folder: NEW}
        seen.append(found)

    with monkeypatch.context() as patch:
        faults = Faults(patch, look=look)
        newer_run().save(folder)
    assert complete(folder) == {folder: NEW} and faults.count > 10
    assert any(folder not in found for found in seen)  # it was looked at in the middle
    assert not [path for path in folder.iterdir() if path.is_dir()]
    assert not (folder / "map_wall.ply").exists() and (folder / "report.html").exists()


def test_one_failure_at_any_call_leaves_the_older_run_or_completes_the_newer(tmp_path, monkeypatch):
    failed_at = 0
    for at in range(1, 100):
        folder = older_run().save(tmp_path / f"run-{at}")
        before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        with monkeypatch.context() as patch:
            faults = Faults(patch, lambda count, name, at=at: count == at)
            try:
                newer_run().save(folder)
            except OSError:
                failed_at = at
                assert complete(folder)[folder] == OLD
                after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
                assert {name: after[name] for name in before} == before
            else:
                assert complete(folder)[folder] == NEW
        if faults.count < at:
            break
    assert 10 < failed_at < at


@pytest.mark.parametrize("begin", range(1, 60, 3))
def test_where_nothing_works_any_more_the_error_tells_where_the_older_run_is(folder, monkeypatch, begin):
    with monkeypatch.context() as patch:
        Faults(patch, lambda count, name: count >= begin and name in ("replace", "link", "unlink"))
        patch.setattr("shutil.copyfile", os.replace)  # which fails as the others do
        try:
            newer_run().save(folder)
        except OSError as error:
            found = complete(folder)
            assert OLD in found.values()
            if folder not in found:
                (kept,) = found
                assert error.strerror.endswith(f"; the older run is kept in {kept}")
                with pytest.raises(tl.InputError, match=re.escape(f"an older run is kept in {kept}")):
                    Log.load(folder)


def test_the_command_tells_it_in_one_sentence(folder, monkeypatch, capsys):
    def crash():
        raise OSError(errno.EIO, f"no; the older run is kept in {folder / 'k'}", str(folder))

    monkeypatch.setattr("tetherlab.apps.cli.app", crash)
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().err == f"tetherlab: {folder}: no; the older run is kept in {folder / 'k'}\n"


def test_ctrl_c_in_the_middle_puts_the_older_run_back(folder, monkeypatch):
    replace = os.replace

    def interrupted(source, target):
        if str(target).endswith("winch.csv") and ".saving-" in str(source) and "partial" not in str(source):
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            newer_run().save(folder)
    assert complete(folder) == {folder: OLD}
    assert not (folder / "power.csv").exists()


def test_file_systems_without_links_keep_a_copy(folder, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    newer_run().save(folder)
    assert complete(folder) == {folder: NEW}
    assert not list(folder.glob(f"{KEPT}*"))


def test_a_disk_that_is_full_keeps_the_older_run(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with small_disk(tmp_path / "disk", 32 << 20) as disk:
        folder = older_run().save(disk / "run")
        fill(disk)
        with pytest.raises(OSError, match="No space left"):
            newer_run().save(folder)
        assert complete(folder) == {folder: OLD}
