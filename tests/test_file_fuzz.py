"""Spoiled files of every kind come to a good end or to one sentence, and cost little."""

import itertools
import shutil
from pathlib import Path

import pytest
from validation.file_fuzz import FAILED, GOOD, Reader, fuzz, prepare, summary, use
from validation.file_mutations import KINDS, good_files
from validation.hostile_tables import ATTACKS, FOLDER, PIPE, TABLES, write_attack

SECONDS = 10.0  # of CPU time, after which no other file is begun
COUNTS = {"scenario": 500, "map": 200, "checkpoint": 200, "table": 200, "run": 200, "model": 200}


watched = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="memory and time are read in /proc")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return tmp_path_factory.mktemp("corpus")


def failures(verdicts):
    """Each with its seed; `python -m validation.file_fuzz --kinds KIND --first SEED --count 1` repeats it."""
    return [str(verdict) for verdict in verdicts if verdict.end == FAILED]


@watched
@pytest.mark.xdist_group("file_fuzz")
def test_a_few_spoiled_files_of_every_kind_do_no_harm(corpus, tmp_path):
    cases = ((kind, seed) for seed in itertools.count(10_000) for kind in KINDS)
    verdicts = fuzz(itertools.islice(cases, 600), corpus, tmp_path, seconds=SECONDS)
    print(summary(verdicts))
    assert failures(verdicts) == []


@watched
@pytest.mark.slow
@pytest.mark.xdist_group("file_fuzz")
@pytest.mark.parametrize("kind", KINDS)
def test_many_spoiled_files_do_no_harm(kind, corpus, tmp_path):
    verdicts = fuzz(((kind, seed) for seed in range(COUNTS[kind])), corpus, tmp_path)
    print(summary(verdicts))
    assert failures(verdicts) == []


@pytest.fixture(scope="module")
def reader():
    reader = Reader()
    yield reader
    reader.stop()


# Bad lines of a log of sensors are skipped, and samples of a calibration have no times.
HARMLESS = (
    ("zero bytes between rows", "measurements.csv"),
    ("times that go backwards", "measurements.csv"),
    ("times that go backwards", "length_samples.csv"),
)


@watched
@pytest.mark.xdist_group("file_fuzz")
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("attack", [*ATTACKS, PIPE, FOLDER])
def test_tables_made_to_do_harm_do_none(attack, table, reader, tmp_path):
    verdict = reader.read("table", 0, write_attack(attack, table, tmp_path))
    print(verdict)
    assert verdict.end != FAILED, str(verdict)
    assert "\n" not in verdict.said
    assert (verdict.end == GOOD) == ((attack, table) in HARMLESS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_good_files_are_good(kind, corpus, tmp_path):
    """Else the fuzz would only show that bad files are refused."""
    prepare(corpus)
    files = good_files(corpus, kind)
    assert files
    for path in files:
        copied = tmp_path / path.name
        (shutil.copytree if path.is_dir() else shutil.copy)(path, copied)
        use(kind, copied)
