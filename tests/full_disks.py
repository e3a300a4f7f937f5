"""Targets that cannot be written: full, forbidden, vanished. Each needs what the machine allows."""

import os
import resource
import shutil
import subprocess
from contextlib import contextmanager

import pytest


@contextmanager
def largest_file(size):
    """No file may grow beyond so many bytes, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def small_disk(folder, size):
    """A disk of so many bytes, mounted at a new folder."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def read_only(folder):
    """A folder into which nobody can write, not even root."""
    folder.mkdir(exist_ok=True)
    if os.getuid():
        folder.chmod(0o555)
        undo = ["chmod", "755", str(folder)]
    else:
        lock, undo = (["chattr", how, str(folder)] for how in ("+i", "-i"))
        if shutil.which("chattr") is None or subprocess.run(lock, capture_output=True).returncode:
            pytest.skip("root may write everywhere here")
    try:
        yield folder
    finally:
        subprocess.run(undo, check=True)


def fill(folder):
    """Use up what a disk has left."""
    with open(folder / "filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 16))
        except OSError:
            pass
