"""The package as a command, where the script is not on the path."""

import os
import signal
import subprocess
import sys

import pytest

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


@pytest.mark.skipif(sys.platform == "win32", reason="the shell is another one there")
def test_a_closed_output_is_no_traceback():
    command = ["sh", "-c", '"$0" -m tetherlab scenarios show wall >&-', sys.executable]
    said = subprocess.run(command, stderr=subprocess.PIPE)
    assert said.stderr == b"" and said.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
def test_ctrl_c_while_the_command_is_read_is_one_word(tmp_path):
    # A package that stands in the way of the command line's own presses Ctrl-C when it is imported.
    (tmp_path / "cyclopts.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    said = subprocess.run([sys.executable, "-m", "tetherlab"], capture_output=True, env=environment)
    assert said.stderr == b"tetherlab: stopped\n" and said.returncode in (130, -signal.SIGINT)
