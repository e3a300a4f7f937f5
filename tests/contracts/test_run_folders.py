"""Folders of runs: one run each, said before the run if they cannot be written, and nothing is lost."""

import multiprocessing
import shutil

import pytest

import tetherlab as tl
from full_disks import fill, largest_file, read_only, small_disk
from synthetic_runs import circling
from tetherlab.contracts.run_folders import CLAIM, PROBE, RunFolder, keep_run, save_elsewhere

LOG = circling(duration=1.0)


def claim(parent, start, claimed):
    start.wait()
    claimed.put(str(RunFolder.numbered("run", parent).path))


def test_runs_that_start_together_get_a_folder_each(tmp_path):
    context = multiprocessing.get_context("fork")
    start, claimed = context.Barrier(6), context.Queue()
    workers = [context.Process(target=claim, args=(tmp_path / "runs", start, claimed)) for _ in range(6)]
    for worker in workers:
        worker.start()
    assert {claimed.get(timeout=60) for _ in workers} == {
        str(tmp_path / f"runs/run-{k}") for k in range(1, 7)
    }
    for worker in workers:
        worker.join()


def test_a_claim_in_which_nothing_was_written_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError), RunFolder.at(tmp_path / "a" / "b" / "c"):
        raise RuntimeError
    with RunFolder.numbered("x", tmp_path / "runs"):
        pass
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "mine").mkdir()
    with RunFolder.at(tmp_path / "mine"):
        pass
    assert (tmp_path / "mine").is_dir()  # it was there before


def test_a_folder_is_claimed_once_and_holds_one_run(tmp_path):
    with RunFolder.at(tmp_path / "r") as first:
        with pytest.raises(tl.InputError, match=r"r: another run is being written there"):
            RunFolder.at(tmp_path / "r")
        assert first.save(LOG) == tmp_path / "r" and not first.trouble
    assert not (tmp_path / "r" / CLAIM).exists()
    with pytest.raises(tl.InputError, match=r"r: holds a run already, which is not overwritten"):
        RunFolder.at(tmp_path / "r")
    assert tl.Log.load(tmp_path / "r").duration == LOG.duration


def test_a_folder_that_vanishes_during_the_run_is_made_again(tmp_path):
    with RunFolder.numbered("x", tmp_path) as claimed:
        shutil.rmtree(claimed.path)
        assert claimed.save(LOG) == claimed.path and not claimed.trouble
    assert tl.Log.load(tmp_path / "x-1").duration == LOG.duration


def test_a_folder_that_another_run_took_meanwhile_is_left_to_it(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    with RunFolder.numbered("x", tmp_path) as claimed:
        shutil.rmtree(claimed.path)
        circling(duration=2.0).save(claimed.path)
        place = claimed.save(LOG)
    assert "another run was saved there meanwhile" in claimed.trouble
    assert tl.Log.load(tmp_path / "x-1").duration == 2.0 and tl.Log.load(place).duration == 1.0


def refused(path):
    with pytest.raises(tl.InputError) as error:
        RunFolder.at(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)
    return str(error.value)


def test_what_cannot_be_written_is_said_before_the_run(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere" / "at all")
    assert refused(tmp_path / "file").endswith("is a file; a run needs a folder")
    assert refused(tmp_path / "file" / "below").endswith(f"cannot be made: {tmp_path / 'file'} is a file")
    assert refused(tmp_path / "dangling").endswith("dangling is a link that leads to no folder")
    assert refused(tmp_path / ("x" * 300)).endswith("cannot be made: File name too long")
    with largest_file(PROBE - 1):
        assert refused(tmp_path / "full").endswith("cannot be written: File too large")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", "file"]
    with pytest.raises(tl.InputError, match=r"x-1: cannot be made: .*file is a file$"):
        RunFolder.numbered("x", tmp_path / "file")
    with pytest.raises(tl.InputError, match=r"cannot be made: File name too long$"):
        RunFolder.numbered("x" * 300, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_disk_that_is_full_is_said_before_the_run(tmp_path):
    with small_disk(tmp_path / "disk", 1 << 20) as disk:
        assert refused(disk / "r").endswith("cannot be written: No space left on device")
        assert list(disk.iterdir()) == []


def test_a_folder_that_is_read_only_is_said_before_the_run(tmp_path):
    with read_only(tmp_path / "locked") as locked:
        assert "Operation not permitted" in (said := refused(locked)) or "Permission denied" in said
        assert "cannot be made" in refused(locked / "below")


@pytest.mark.parametrize("how", ["full", "read only"])
def test_a_run_that_can_no_longer_be_saved_is_saved_elsewhere(tmp_path, monkeypatch, how):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    with small_disk(tmp_path / "disk", 8 << 20) as disk, RunFolder.at(disk / "r") as claimed:
        if how == "full":
            fill(disk)
            place = claimed.save(LOG)
        else:
            with read_only(claimed.path):
                place = claimed.save(LOG)
    assert str(disk / "r") in claimed.trouble and "cannot be written" in claimed.trouble
    assert place.parent == tmp_path / "elsewhere" and tl.Log.load(place).duration == LOG.duration


def test_where_no_place_is_left_the_reasons_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "no temporary folder"))
    monkeypatch.setenv("HOME", str(tmp_path / "no home"))
    monkeypatch.chdir(tmp_path)
    place = save_elsewhere(LOG.save, "x")
    assert place.parent == tmp_path and tl.Log.load(place).duration == LOG.duration
    with largest_file(100), pytest.raises(OSError, match=r"x could not be saved anywhere: .*File too large"):
        save_elsewhere(LOG.save, "x")
    assert len(list(tmp_path.iterdir())) == 1


def test_a_recording_is_kept_also_if_no_folder_can_be_claimed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "runs").write_text("a file")
    place, trouble = keep_run(LOG, lambda: RunFolder.numbered("flown", tmp_path / "runs"))
    assert trouble.endswith("runs is a file")
    assert tl.Log.load(place).duration == LOG.duration


@pytest.mark.parametrize("letter", ["a", "é", "小", "🤖"])
def test_long_names_of_any_alphabet_are_saved_elsewhere(letter, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    name = letter * (250 // len(letter.encode()))  # as long as the name of a folder may be
    place = save_elsewhere(lambda folder: folder, name)
    assert place.parent == tmp_path and place.name.startswith(letter * 10)
