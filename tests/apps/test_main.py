"""The package as a command, where the script is not on the path."""

import subprocess
import sys

import tetherlab as tl


def test_the_package_is_a_command():
    said = subprocess.run([sys.executable, "-m", "tetherlab", "--version"], capture_output=True, check=True)
    assert said.stdout.decode().strip() == tl.__version__
