"""`make numba-range`: the tests of the compiled core with the oldest and the newest Numba of pyproject.toml.

Each gets an environment of its own in .cache, with NumPy and SciPy as new as that Numba allows. With the
version that `TRIED_WITH` in math/kernel.py names, kernels take a short way through Numba's internals
(math/lowering.py, math/translation.py); with all others they are compiled the plain way. The cache
(math/cache.py) relies with all of them on `CompileResultCacheImpl._locator_classes` and on what a locator is
asked.
"""

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ("tests/math", "tests/tether")
NEEDED = ("pytest", "hypothesis", "mpmath")
FREE = ("numba", "llvmlite", "numpy", "scipy")  # follow from the version under test


def bounds() -> tuple[str, str]:
    """Requirements for the oldest and the newest Numba that the package accepts."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (numba,) = (each for each in project["dependencies"] if each.startswith("numba"))
    low, high = re.fullmatch(r"numba>=([\d.]+),<([\d.]+)", numba).groups()
    return f"numba=={low}.*", f"numba>={low},<{high}"


def run(name: str, numba: str) -> int:
    """Install and test; the exit code of pytest."""
    folder = ROOT / ".cache" / f"numba-{name}"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(line for line in lines if line.split("==")[0] not in FREE))
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", constraints]
    subprocess.run([*install, "setuptools"], check=True)
    subprocess.run([*install, "--no-build-isolation", "-e", ROOT, numba, *NEEDED], check=True)
    version = subprocess.run(
        [python, "-c", "import numba, numpy; print(numba.__version__, 'with NumPy', numpy.__version__)"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    print(f"{name}: Numba {version}", flush=True)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "compiled")}
    command = [python, "-m", "pytest", "-p", "no:cacheprovider", "-m", "not slow", *TESTS]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    oldest, newest = bounds()
    sys.exit(max(run("oldest", oldest), run("newest", newest)))
