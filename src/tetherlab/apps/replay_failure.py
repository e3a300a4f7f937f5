"""The command `tetherlab replay-failure`: compute a failure again from the file that it left."""

import sys
from pathlib import Path


def replay_failure(file: Path, /) -> None:
    """Compute a failure again from its file: a run that diverged, or a step that did not converge.

    Example: tetherlab replay-failure runs/windy-1/failure.npz

    Such a file is written next to the run, or to a temporary folder, and the message of the failure names it.
    It holds the scenario, the state about half a second before the failure and all commands since; no
    controller of one's own is needed. The exit code is 0 if the failure recurs, and 1 if it does not.

    Parameters
    ----------
    file
        The file that the failure left.
    """
    from rich.console import Console

    from tetherlab.assembly.failure_replay import replay_failure as replay
    from tetherlab.contracts.failure_file import read_failure
    from tetherlab.contracts.version import VERSION

    console = Console(highlight=False, markup=False)
    version = read_failure(file)[0].get("tetherlab")
    if version != VERSION:
        console.print(f"written by tetherlab {version}, replayed by {VERSION}")
    with console.status("computing it again (the first time takes a minute to compile)"):
        found = replay(file)
    ago = found.time - found.since
    console.print(
        f"replayed    from {found.since:.6g} s, {ago:.2g} s before the failure at {found.time:.6g} s"
    )
    failed = f"failed      {found.what}, at" if found.recurred else "reached    "
    console.print(f"{failed} {found.reached:.6g} s", soft_wrap=True)
    for line in found.lines:
        console.print(line, soft_wrap=True)
    if found.recurred:
        console.print("The failure recurred.")
        return
    console.print("The failure did not recur.")
    sys.exit(1)
