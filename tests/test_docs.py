"""Code in README and docs runs as printed, links lead somewhere, and drawn figures show the code as it is."""

import importlib.util
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tetherlab as tl
from tetherlab.contracts import documents
from tetherlab.world import document

ROOT = Path(__file__).parents[1]
ROOMS = sorted((ROOT / "src" / "tetherlab").glob("*/README.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *ROOMS, ROOT / "changelog" / "README.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def name(path):
    return str(path.relative_to(ROOT))


def blocks(path):
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def test_the_readme_has_an_example_of_a_tether_and_one_of_a_scene():
    tether, scene = blocks(ROOT / "README.md")
    assert "tl.Tether(" in tether and "tl.Scene(" in scene


@pytest.mark.parametrize("path", [path for path in PAGES if blocks(path)], ids=name)
def test_code_blocks_of_a_page_run_one_after_another(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope = {}
    for number, block in enumerate(blocks(path), 1):
        exec(compile(block, f"{name(path)} block {number}", "exec"), scope)
        assert scope


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_lead_to_files_that_exist(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    missing = [
        link
        for link in LINK.findall(text)
        if "://" not in link and not (path.parent / link).exists() and link != "validation.md"
    ]
    assert not missing


def test_all_keys_of_worlds_and_winds_are_explained():
    page = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    shapes = [key for kind, (_, keys) in document.SHAPES.items() for key in (kind, *keys)]
    winds = [*document.WIND, *(f"gusts.{key}" for key in document.GUSTS)]
    keys = {*shapes, *winds, *document.MAP, *document.PLACE, *document.COMMON, *document.WORLD} - {"gusts"}
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []


def test_the_world_that_the_scenario_page_shows_can_be_read():
    page = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    text = re.search(r"^```yaml\n(world:\n.*?)^```", page, re.M | re.S)[1]
    shown = documents.parse_yaml(text, "scenarios.md")
    world = tl.World.from_dict({**shown["world"], "wind": shown["wind"]})
    assert len(world.names) == 4 and world.wind.gusts.seed == 0


@pytest.mark.parametrize("tool", ["draw_architecture.py"])
def test_generated_figures_are_those_of_the_code(tool):
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / tool, "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_changelog_fragments_join_by_kind_and_an_unknown_kind_is_refused(tmp_path):
    tool = load_tool("join_changelog")
    (tmp_path / "b.fixed.md").write_text("Mended.\n")
    (tmp_path / "a.added.md").write_text("New.\n")
    section, used = tool.join("1.2.3", tmp_path, "2030-01-02")
    assert section == "## 1.2.3 (2030-01-02)\n\n### Added\n\n- New.\n\n### Fixed\n\n- Mended.\n"
    assert len(used) == 2
    (tmp_path / "c.improved.md").write_text("?")
    with pytest.raises(SystemExit, match=r"c\.improved\.md"):
        tool.join("1.2.3", tmp_path, "2030-01-02")


def test_all_fragments_of_the_changelog_have_a_known_kind():
    names = [path.name for path in (ROOT / "changelog").glob("*.md") if path.name != "README.md"]
    assert names and all(
        re.fullmatch(r"[a-z-]+\.(added|changed|fixed|removed|security)\.md", name) for name in names
    )


def test_formulas_become_pictures_and_code_is_left_alone():
    tool = load_tool("render_math")
    page = tool.on_page_markdown("Slope $\\frac12 x$ and `$HOME`.\n\n```\n$5 or $6\n```\n")
    assert page.count("data:image/svg+xml;base64,") == 1
    assert "`$HOME`" in page and "$5 or $6" in page


def test_an_equation_keeps_its_number():
    tool = load_tool("render_math")
    page = tool.on_page_markdown("$$ a = \\tfrac2\\pi \\sqrt3 \\tag{7} $$")
    assert page.count("data:image/svg+xml;base64,") == 1 and ">(7)<" in page


def test_the_documentation_builds_without_a_warning(tmp_path):
    """All pages, formulas and links, as `make docs` builds them."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", tmp_path],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'class="formula"' in (tmp_path / "theory" / "landing.html").read_text(encoding="utf-8")


def reference():
    tool = load_tool("write_reference")
    return tool.on_page_markdown((ROOT / "docs" / "reference.md").read_text(encoding="utf-8"))


def is_public(shape):
    return shape is not tl.shapes.Shape and not shape.__name__.startswith("_")


def test_the_reference_holds_every_public_name_and_argument():
    page = reference()
    classes = [value for value in vars(tl.shapes).values() if inspect.isclass(value)]
    shapes = [f"shapes.{c.__name__}" for c in classes if issubclass(c, tl.shapes.Shape) and is_public(c)]
    estimators = [f"estimation.{name}" for name in tl.estimation.__all__]
    rooms = {name: getattr(tl.planning, name).__all__ for name in ("automata", "cooperative")}
    plans = [
        f"planning.{room}.{name}" for room, names in rooms.items() for name in names if name != "Location"
    ]
    spaces = ("shapes", "estimation", "planning")
    names = [*(name for name in tl.__all__ if name not in spaces), *shapes, *estimators, *plans]
    assert not [name for name in names if f"### tl.{name}\n" not in page]
    tethers = (tl.Tether, tl.Tether.step, tl.World.place, tl.TetherSpec, tl.RigidBody, tl.shapes.Box)
    for call in (*tethers, tl.estimation.Measurement, tl.estimation.FilterSpec, tl.estimation.locate_many):
        arguments = set(inspect.signature(call).parameters) - {"self", "name", "friction", "unknown"}
        assert not [name for name in arguments if not re.search(rf"(`|[( ]){name}(`|[=,)])", page)]
    assert "{{" not in page and "`reel_speed`: &gt; 0 pays out" in page


def test_the_first_simulation_of_avocado_ends_where_the_statics_say(capsys):
    exec(blocks(ROOT / "docs" / "theory" / "avocado.md")[0], {})
    theta, _, simulated = map(float, re.findall(r"\d+\.\d+", capsys.readouterr().out.splitlines()[0]))
    assert simulated == pytest.approx(theta, abs=1e-3)
