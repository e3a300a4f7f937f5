"""What users get: a package that imports at once, works far from the repository, and says what it lacks."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import tetherlab as tl
from tetherlab.contracts.extras import EXTRAS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HEAVY = {"numba", "scipy", "pydantic", "matplotlib", "jinja2", "viser", "trimesh", "small_gicp", "mujoco"}
LOADED = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
HELP = f"""
import atexit
atexit.register(lambda: exec({LOADED!r}))
from tetherlab.apps.cli import app
app("--help")
"""


@pytest.mark.parametrize("code", [f"import tetherlab; {LOADED}", HELP], ids=["import", "help"])
def test_neither_import_nor_help_loads_a_heavy_package(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "tetherlab" in loaded and not loaded & HEAVY


def test_public_names_are_found_where_editors_look_for_them():
    (block,) = (node for node in ast.parse(Path(tl.__file__).read_text()).body if isinstance(node, ast.If))
    shown = {
        name.name: node.module.removeprefix("tetherlab").removeprefix(".")
        for node in block.body
        for name in node.names
    }
    assert shown == tl._HOMES and sorted(shown) == sorted(tl.__all__)
    assert set(tl.__all__) <= set(dir(tl))
    for name, home in shown.items():
        value = getattr(tl, name)
        if home:
            assert value is getattr(sys.modules[f"tetherlab.{home}"], name)
    with pytest.raises(AttributeError, match="Tehter"):
        tl.Tehter  # noqa: B018


def test_what_is_said_of_extras_is_what_the_package_offers():
    for extra, (modules, _) in EXTRAS.items():
        assert set(modules) <= {name.lower().replace("-", "_") for name in _requirements(extra)}
    assert {"report", "view", "mapping", "mujoco"} <= set(EXTRAS)


def _requirements(extra):
    for text in PROJECT["optional-dependencies"][extra]:
        requirement = Requirement(text)
        if requirement.name == PROJECT["name"]:
            for other in requirement.extras:
                yield from _requirements(other)
        else:
            yield requirement.name


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The package as it would be published."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "-w", target, source], check=True)
    (file,) = target.iterdir()
    return zipfile.ZipFile(file)


def test_the_wheel_holds_the_code_and_all_its_data(wheel):
    package = ROOT / "src"
    files = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    needed = {
        path.relative_to(package).as_posix()
        for path in files
        if path.suffix != ".md" and not any(part.endswith(".egg-info") for part in path.parts)
    }
    assert "tetherlab/data/scenarios/theatre.yaml" in needed and "tetherlab/report/page.html" in needed
    assert needed <= set(wheel.namelist())


def test_no_link_of_the_long_description_leads_into_the_repository(wheel):
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    _, text = wheel.read(name).decode().split("\n\n", 1)
    links = re.findall(r"\]\(([^)]*)\)|<(?:img|a)\b[^>]*(?:src|href)=\"([^\"]*)", text)
    assert [link for pair in links for link in pair if link and "://" not in link] == []
    assert "# tetherlab" in text and "import tetherlab as tl" in text and "pip install" in text


@pytest.fixture(scope="module")
def core(wheel, tmp_path_factory):
    """Runs Python with the wheel and what it requires, without any extra, in an empty folder."""
    site, empty = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("empty")
    wheel.extractall(site)
    for distribution in _closure(PROJECT["dependencies"]):
        for top in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(distribution.locate_file(top))

    def run(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-S", *arguments],  # without the packages of this environment
            cwd=empty,
            env={**os.environ, "PYTHONPATH": str(site), **environment},
            capture_output=True,
            text=True,
        )

    return run


def _closure(requirements):
    """Distributions that fulfil requirements, and all that these require."""
    found, waiting = {}, [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        if requirement.name in found or not (requirement.marker is None or requirement.marker.evaluate()):
            continue
        found[requirement.name] = metadata.distribution(requirement.name)
        waiting += [Requirement(text) for text in found[requirement.name].requires or ()]
    return found.values()


def test_a_plain_install_finds_its_data(core):
    done = core("-m", "tetherlab", "scenarios")
    assert done.returncode == 0 and "theatre" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (("view", "theatre"), "view"),
        (("report", "."), "report"),
        (("plan", "over_the_wall", "--picture", "plan.svg"), "report"),
        (("reproduce", "cooperative"), "report"),
    ],
)
def test_what_an_extra_is_needed_for_says_how_to_get_it(core, command, extra):
    done = core("-m", "tetherlab", *command)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1 and f'pip install "tetherlab[{extra}]"' in done.stderr


def test_the_absence_of_each_extra_is_an_import_error_with_the_command_that_helps(core):
    code = f"""
from tetherlab.contracts.extras import require
for extra in {[*EXTRAS]}:
    try:
        require(extra)
    except ImportError as error:
        print(error)
"""
    done = core("-c", code)
    assert [re.search(r"tetherlab\[(.*)\]", line)[1] for line in done.stdout.splitlines()] == [*EXTRAS]


@pytest.mark.slow
def test_after_warm_up_a_plain_install_flies_without_compiling_and_keeps_the_log(core, tmp_path):
    place = {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = core("-m", "tetherlab", "warm-up", **place)
    assert done.returncode == 0 and "compiled" in done.stdout, done.stderr
    code = "import atexit; from tetherlab.math.compile_notice import COUNT; "
    code += "atexit.register(lambda: print('functions', COUNT.functions)); "
    code += "from tetherlab.apps.cli import app; app(['run', 'theatre', '--folder', 'flown'])"
    done = core("-c", code, **place)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "functions 0", done.stderr
    assert done.stderr.count("\n") == 1 and 'pip install "tetherlab[report]"' in done.stderr
    assert "COMPLETED" in core("-c", "import tetherlab as tl; print(tl.Log.load('flown').outcome)").stdout
