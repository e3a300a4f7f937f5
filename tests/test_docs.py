"""Code in README and docs runs as printed, links lead somewhere, and drawn figures show the code as it is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = sorted((ROOT / "src" / "tetherlab").glob("*/README.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *ROOMS, ROOT / "changelog" / "README.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def name(path):
    return str(path.relative_to(ROOT))


def blocks(path):
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def test_the_readme_has_an_example():
    assert len(blocks(ROOT / "README.md")) == 1


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


@pytest.mark.parametrize("tool", ["draw_architecture.py"])
def test_generated_figures_are_those_of_the_code(tool):
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / tool, "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
