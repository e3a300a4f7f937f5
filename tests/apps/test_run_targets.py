"""Where a run is written: claimed before it, told in a sentence if it cannot be, saved elsewhere if lost."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial

import pytest

import tetherlab as tl
from full_disks import fill, largest_file, read_only, small_disk
from tetherlab.apps import run
from tetherlab.apps.cli import main
from tetherlab.contracts.documents import format_yaml
from tetherlab.contracts.run_folders import RunFolder
from tetherlab.scenario.simulation import Simulation

pytestmark = pytest.mark.filterwarnings("ignore:Cyclopts application invoked without tokens")
SHORT = ("run.duration_max_s=0.5",)
COMMAND = (sys.executable, "-m", "tetherlab", "run", "windy", "--no-report", "--set", "run.duration_max_s=1")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder to be in, and another one for temporary files."""
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    return tmp_path / "here"


def without_notice(err):
    """What was said, but for the notice of the first process that compiles."""
    return "".join(line for line in err.splitlines(True) if "compiling the engine" not in line)


@pytest.fixture
def tetherlab(monkeypatch, capsys):
    """Runs the command; returns exit code, output and errors."""

    def call(*words):
        monkeypatch.setattr("sys.argv", ["tetherlab", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr()
        return left.value.code, said.out, without_notice(said.err)

    return call


def run_short(**options):
    with pytest.raises(SystemExit) as ending:
        run.run("vertical", set=SHORT, report=False, **options)
    return ending.value.code


def test_every_run_gets_the_next_folder_and_leaves_no_claim(here):
    assert [run_short() for _ in range(2)] == [1, 1]  # the time was over
    for number in (1, 2):
        assert tl.Log.load(here / f"runs/vertical-{number}").outcome is tl.Outcome.TIMED_OUT
        assert not [path for path in (here / f"runs/vertical-{number}").iterdir() if path.name[0] == "."]


def test_a_mistake_leaves_no_folder(here, tetherlab):
    for words in (["nosuch"], ["vertical", "--set", "tether.length_m=-1"], ["vertical", "--seed", "-1"]):
        assert tetherlab("run", *words)[0] == 2
        assert list(here.iterdir()) == []


def test_ctrl_c_before_the_start_leaves_no_folder(here, monkeypatch):
    def stop(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Simulation, "step", stop)
    with pytest.raises(KeyboardInterrupt):
        run.run("vertical")
    assert list(here.iterdir()) == []


def test_a_run_is_never_written_over_another(here, tetherlab):
    run_short(folder=here / "mine")
    before = {path.name: path.read_bytes() for path in (here / "mine").iterdir()}
    code, _, err = tetherlab("run", "vertical", "--folder", "mine")
    assert code == 2 and err == (
        "tetherlab: mine: holds a run already, which is not overwritten; name another folder, or remove it\n"
    )
    with pytest.raises(tl.InputError, match="mine: holds a run already"):
        tl.run("vertical", folder="mine")
    assert {path.name: path.read_bytes() for path in (here / "mine").iterdir()} == before


def test_a_target_that_cannot_be_written_is_told_before_the_run(here, tetherlab, monkeypatch, tmp_path):
    def never(*_, **__):
        raise AssertionError("nothing is simulated")

    monkeypatch.setattr(Simulation, "step", never)
    (here / "file").write_text("mine")
    for folder in ("file", "file/below", "/dev/null/r", "/dev/full", "x" * 300):
        code, _, err = tetherlab("run", "vertical", "--folder", folder)
        assert code == 2 and err.count("\n") == 1 and folder in err
    with largest_file(1 << 20):
        code, _, err = tetherlab("run", "vertical")
    assert code == 2 and err == "tetherlab: runs/vertical-1: cannot be written: File too large\n"
    with read_only(tmp_path / "locked") as locked:
        code, _, err = tetherlab("run", "vertical", "--folder", locked / "r")
        assert code == 2 and err.count("\n") == 1
    assert sorted(path.name for path in here.iterdir()) == ["file"]


def breaking(monkeypatch, how):
    """Something happens to the target while the run goes on."""
    original = Simulation.run

    def run(self, until=None, progress=None):
        how()
        original(self, until, progress)

    monkeypatch.setattr(Simulation, "run", run)


def test_a_disk_that_gets_full_during_the_run_costs_nothing(tmp_path, monkeypatch, tetherlab):
    with small_disk(tmp_path / "disk", 8 << 20) as disk:
        breaking(monkeypatch, lambda: fill(disk))
        code, out, err = tetherlab("run", "vertical", "--set", *SHORT, "--folder", disk / "r")
        assert not (disk / "r").exists()
    assert (
        code == 1 and f"{disk / 'r'}: cannot be written: No space left on device; the run was saved in" in err
    )
    (place,) = (tmp_path / "elsewhere").iterdir()
    assert str(place) in err and str(place / "report.html") in out
    assert tl.Log.load(place).outcome is tl.Outcome.TIMED_OUT


def test_from_python_the_log_is_saved_elsewhere_too(tmp_path, monkeypatch):
    with small_disk(tmp_path / "disk", 8 << 20) as disk:
        breaking(monkeypatch, lambda: fill(disk))
        with pytest.warns(UserWarning, match="No space left on device; the run was saved in"):
            log = tl.run("vertical", {"run.duration_max_s": 0.5}, folder=disk / "r")
    (place,) = (tmp_path / "elsewhere").iterdir()
    assert len(tl.Log.load(place)["uav"]) == len(log["uav"]) > 10


def test_a_folder_that_vanishes_during_the_run_is_made_again(here, monkeypatch):
    breaking(monkeypatch, lambda: shutil.rmtree(here / "runs"))
    run_short()
    assert tl.Log.load(here / "runs/vertical-1").outcome is tl.Outcome.TIMED_OUT


def test_a_terminal_that_goes_away_costs_no_log(here, monkeypatch):
    def hung_up(console, simulation):
        simulation.run()
        raise BrokenPipeError

    monkeypatch.setattr(run, "_run", hung_up)
    with pytest.raises(BrokenPipeError):
        run.run("vertical", set=SHORT)
    assert tl.Log.load(here / "runs/vertical-1").outcome is tl.Outcome.TIMED_OUT


def test_a_report_that_fails_costs_no_log(here, monkeypatch, tetherlab):
    def full(*_, **__):
        raise OSError(28, "No space left on device", "report.html")

    monkeypatch.setattr("tetherlab.apps.report_page.write_page", full)
    code, _, err = tetherlab("run", "vertical", "--set", *SHORT)
    assert code == 1 and err == (
        "tetherlab: no report: report.html: No space left on device; the run is in runs/vertical-1, and "
        "`tetherlab report` draws it\n"
    )
    assert tl.Log.load(here / "runs/vertical-1").outcome is tl.Outcome.TIMED_OUT


@pytest.mark.parametrize("name", ["a[red]b", "a[/b]", "a{b}"])  # the second one is a folder in a folder
def test_names_are_shown_as_they_are(name, tetherlab):
    code, out, err = tetherlab("run", "vertical", "--set", *SHORT, "--no-report", "--folder", name)
    assert code == 1 and err == "" and f"log:    {name}\n" in out


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_a_file_whose_name_is_no_text_is_run_and_saved(here):
    text = format_yaml(tl.Scenario.load("vertical", {"run.duration_max_s": 0.5}).to_dict())
    (here / os.fsdecode(b"\xff.yaml")).write_text(text)
    command = [sys.executable, "-m", "tetherlab", "run", b"\xff.yaml", "--no-report"]
    done = subprocess.run(command, capture_output=True)
    assert done.returncode == 1 and b"Traceback" not in done.stderr
    (folder,) = (here / "runs").iterdir()
    assert tl.Log.load(folder).outcome is tl.Outcome.TIMED_OUT


def test_ctrl_c_while_saving_still_tells_where_the_run_is(here, monkeypatch, tetherlab):
    save = RunFolder.save

    def disturbed(self, log):
        os.kill(os.getpid(), signal.SIGINT)
        return save(self, log)

    monkeypatch.setattr(RunFolder, "save", disturbed)
    code, out, err = tetherlab("run", "vertical", "--set", *SHORT)
    assert code == 130 and out.endswith("log:    runs/vertical-1\n") and err == "tetherlab: stopped\n"
    assert not (here / "runs/vertical-1/report.html").exists()


@pytest.mark.parametrize("words", [["scenarios", "schema"], ["plan", "over_the_wall", "--json"]])
def test_an_output_that_is_full_is_one_sentence(words, here):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tetherlab", *words], stdout=full, stderr=subprocess.PIPE, text=True
        )
    said = without_notice(done.stderr)
    assert done.returncode == 1 and said == "tetherlab: standard output: No space left on device\n"


def test_files_that_cannot_be_written_are_one_sentence(here, tetherlab):
    run_short(folder=here / "r")
    for words in (
        ["report", "r", "--html", "r/log.json/page.html"],
        ["compare", "r", "r", "--html", "x" * 300],
        ["plan", "over_the_wall", "--out", "r/log.json/plan.yaml"],
        ["reproduce", "cooperative", "--json", "r/log.json/rows.json"],
        ["reproduce", "cooperative", "--folder", "r/log.json"],
        ["power", "--picture", "r/log.json/power.svg"],
    ):
        code, _, err = tetherlab(*words)
        assert code in (1, 2) and err.count("\n") == 1 and "Traceback" not in err, words


def test_a_plan_that_cannot_be_written_any_more_is_written_elsewhere(tmp_path, tetherlab, monkeypatch):
    from tetherlab.planning import cooperative

    search = cooperative.plan
    with small_disk(tmp_path / "disk", 1 << 20) as disk:
        monkeypatch.setattr(cooperative, "plan", lambda *given, **how: (fill(disk), search(*given, **how))[1])
        code, out, err = tetherlab("plan", "over_the_wall", "--out", disk / "plan.yaml")
    (place,) = (tmp_path / "elsewhere").glob("*/plan.yaml")
    assert (
        code == 0 and f"No space left on device; saved as {place}" in err and f"tetherlab run {place}" in out
    )


def test_the_real_time_factor_is_that_of_the_clock_on_the_wall(monkeypatch, capsys):
    ticks = iter((100.0, 110.0))
    monkeypatch.setattr("tetherlab.apps.run.time.perf_counter", lambda: next(ticks))
    simulation = tl.Simulation("vertical", {"run.duration_max_s": 0.5})
    simulation.step()

    class Bar:
        """Needs no clock."""

        def __init__(self, *_, **__): ...
        def __enter__(self):
            return self

        def __exit__(self, *_): ...
        def add_task(self, *_, **__): ...
        def update(self, *_, **__): ...

    monkeypatch.setattr("rich.progress.Progress", Bar)
    said = run._run(None, simulation)
    assert said.startswith("simulated 0.5 s in 10.0 s: 0.049 times real time by the wall clock")


def test_a_run_that_ends_in_its_first_step_is_not_timed(tetherlab):
    code, out, _ = tetherlab("run", "windy", "--set", "wind.velocity_m_per_s=[1e5,0,0]", "--no-report")
    assert code == 1 and "times real time" not in out and "the run ended in its first step" in out


def test_a_folder_instead_of_a_failure_is_one_sentence(here, tetherlab):
    (here / "run-1").mkdir()
    sentence = "tetherlab: run-1: is a folder; a failure is a file in it, run-1/failure.npz\n"
    assert tetherlab("replay-failure", "run-1") == (2, "", sentence)


def test_what_takes_long_before_a_run_is_shown(monkeypatch):
    monkeypatch.setattr("tetherlab.tether.tether.PATIENCE", 0.0)
    said = []
    with run.announcing(said.append):
        tl.Simulation("vertical")
    assert len(said) == 1 and "settling" in said[0]


@pytest.mark.slow
def test_fifty_pairs_of_runs_that_start_together_lose_nothing(here):
    """A hundred runs in pairs: a hundred folders, each complete, none of another run."""
    for pair in range(50):
        seeds = (2 * pair, 2 * pair + 1)
        runs = [
            subprocess.Popen(
                [*COMMAND, "--seed", str(seed)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            for seed in seeds
        ]
        for started in runs:
            said, _ = started.communicate(timeout=600)
            assert started.returncode == 1, said.decode()
    folders = list((here / "runs").iterdir())
    assert {folder.name for folder in folders} == {f"windy-{number}" for number in range(1, 101)}
    assert sorted(tl.Log.load(folder).seed for folder in folders) == list(range(100))


@pytest.mark.slow
def test_forty_bad_targets_are_told_before_the_run_or_the_data_are_saved_elsewhere(tmp_path, here):
    """Full, read-only, vanishing and forbidden ones, ten each, by the command as users start it."""
    environment = {**os.environ, "TMPDIR": str(tmp_path / "elsewhere")}

    def start(folder, meanwhile=None):
        """Exit code and errors; meanwhile: done when the folder is claimed."""
        claim = here / folder / ".run-in-progress"
        with subprocess.Popen(
            [*COMMAND, "--folder", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=environment,
        ) as started:  # fmt: skip
            claimed = 0
            while meanwhile is not None and started.poll() is None:
                with suppress(FileNotFoundError):
                    claimed += not claim.stat().st_size
                if claimed == 4:  # looks, so that it is not the moment before the probe is written
                    meanwhile()
                    break
                time.sleep(0.05)
            _, err = started.communicate(timeout=600)
        return started.returncode, without_notice(err.decode())

    told = kept = 0
    (here / "file").write_text("mine")
    (here / "dangling").symlink_to(here / "nowhere" / "r")
    forbidden = ["file", "file/r", "dangling", "/dev/null", "/dev/null/r", "/dev/full", "/proc/r", "/sys/r"]
    for folder in [*forbidden, "x" * 300, "/dev/full/r"]:
        code, err = start(folder)
        assert code == 2 and err.count("\n") == 1, err
        told += 1
    for number in range(10):
        with read_only(tmp_path / f"locked{number}") as locked:
            code, err = start(locked / "r" if number % 2 else locked)
            assert code == 2 and err.count("\n") == 1, err
            told += 1
    for number in range(10):
        folder = here / f"vanishing{number}"
        code, err = start(folder, partial(shutil.rmtree, folder, ignore_errors=True))
        assert code == 1 and tl.Log.load(folder).duration > 0.9, err
        kept += 1
    for number in range(10):
        full = number % 2 == 0
        with small_disk(tmp_path / f"disk{number}", 1 << 20 if full else 8 << 20) as disk:
            code, err = start(disk / "r", None if full else partial(fill, disk))
            if code == 2:
                assert err.count("\n") == 1 and "No space left on device" in err
                told += 1
            else:
                (place,) = (tmp_path / "elsewhere").glob("r-*")
                assert str(place) in err and tl.Log.load(place).duration > 0.9
                shutil.rmtree(place)
                kept += 1
    print(json.dumps({"told before the run": told, "saved": kept}))
    assert told + kept == 40 and kept >= 10
