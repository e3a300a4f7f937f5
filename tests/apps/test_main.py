"""The package as a command, where the script is not on the path."""

import subprocess
import sys

import tetherlab as tl


def test_the_package_is_a_command():
    said = subprocess.run([sys.executable, "-m", "tetherlab", "--version"], capture_output=True, check=True)
    assert said.stdout.decode().strip() == tl.__version__


def test_a_reader_that_leaves_early_is_no_mistake():
    command = [sys.executable, "-m", "tetherlab", "scenarios", "schema"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        writer.stdout.close()
        said = writer.stderr.read()
    assert said == b"" and writer.returncode == 141
