"""Every example runs without a screen, and what it claims is true."""

import importlib.util
import sys
from pathlib import Path

import matplotlib
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*/[0-9]*.py"))


def load(path):
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_examples():
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_its_check_holds(path):
    example = load(path)
    assert example.__doc__ and example.main.__doc__ and example.check.__doc__
    example.check(example.main(show=False))


def test_pictures_are_written_where_the_example_is_run(tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    path = next(path for path in EXAMPLES if "body_on_a_tether" in path.stem)
    monkeypatch.setattr(sys, "path", [str(path.parent), *sys.path])
    load(path).main(show=True)
    assert (tmp_path / "runs" / "body_on_a_tether.png").stat().st_size > 10_000
