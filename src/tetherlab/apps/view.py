"""The command `tetherlab view`: fly a scenario, or look at a run, in the browser."""

import errno
import ipaddress
import socket
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from cyclopts import Parameter

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.extras import require

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ELSEWHERE = {4: ("192.0.2.1", 9), 6: ("2001:db8::1", 9)}  # for documentation: no such machine exists


class _Serve(NamedTuple):
    """Where a page is served, and under which further names."""

    host: str
    port: int
    allowed_hosts: tuple[str, ...]


def view(
    what: str,
    other: Path | None = None,
    /,
    *,
    set: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    seed: int | None = None,
    port: int = 8080,
    host: str = "127.0.0.1",
    allow_host: Annotated[tuple[str, ...], Parameter(negative=())] = (),
) -> None:
    """Fly a scenario by hand, or replay a run, in the browser.

    Example: tetherlab view theatre

    A robot in the canopy (tetherlab view canopy_indoor) follows its references while you watch.

    With the folder of a run it is replayed (tetherlab view runs/theatre-1), with two folders one over the
    other. Ctrl-C ends it; closing the page does not. Several people may watch. The address that is printed
    holds a token, new at each start: whoever has the address can fly, and a page without it is refused.

    Parameters
    ----------
    what
        A packaged scenario by its name, a scenario file, or the folder of a run.
    other
        The folder of another run, laid over the first.
    set
        Change a value of the scenario: KEY=VALUE. May be given several times.
    seed
        Of the random numbers.
    port
        Where the page is served; 0: wherever there is a free one.
    host
        The address to listen on: this machine alone can reach it unless another one is given; 0.0.0.0: all
        addresses of this machine.
    allow_host
        Another NAME or NAME:PORT under which browsers reach this page, through a name server or a forwarded
        port. May be given several times.
    """
    from rich.console import Console

    require("view")
    console = Console(markup=False)
    _require_free(host, port)
    serve = _Serve(host, port, allow_host)
    if allow_host:
        from tetherlab.view.access import Access

        Access(host, allow_host)  # what is wrong is told before anything is compiled
    if Path(what).is_dir():
        if set or seed is not None:
            raise InputError(f"{what} is a run, which has happened: --set and --seed are for scenarios")
        _replay(console, Path(what), other, serve)
    elif ("/" in what or "\\" in what) and not Path(what).exists():
        raise InputError(f"{what}: there is no such folder or file")
    else:
        if other is not None:
            raise InputError(f"{what} is no folder of a run, so {other} cannot be laid over it")
        _fly(console, what, set, seed, serve)


def _require_free(host: str, port: int) -> None:
    """Viser would take another port without a word."""
    if not 0 <= port <= 65535:
        raise InputError(f"--port must be from 0 to 65535, got {port}")
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise InputError(f"--host {host} is no address of this machine ({error.strerror})") from None
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise InputError(f"--host {host} is no address of this machine") from None
            raise InputError(
                f"port {port} of {host} cannot be used ({error.strerror}): choose another one with --port"
            ) from None


def _fly(console: Any, what: str, changes: tuple[str, ...], seed: int | None, serve: _Serve) -> None:
    from tetherlab.apps.run import announcing
    from tetherlab.assembly.runs import make_simulation
    from tetherlab.contracts.run_folders import RunFolder
    from tetherlab.scenario.document import parse_assignments
    from tetherlab.scenario.team_plan import TeamPlan
    from tetherlab.view.live_page import LivePage
    from tetherlab.view.server import make_server

    overrides = parse_assignments(changes)
    with console.status("reading the scenario") as status, announcing(status.update):
        first = make_simulation(what, overrides, seed=seed)
    scenario = first.scenario
    if isinstance(scenario, TeamPlan):
        raise InputError(
            f"{what}: a plan is carried out first and looked at then: `tetherlab run {what}`, "
            "and `tetherlab view` with the folder that it names"
        )
    with console.status("compiling (the first time takes a minute)"):
        first.step()
    folder = partial(RunFolder.numbered, f"flown-{first.name}")
    again = partial(make_simulation, scenario, seed=seed)
    page = LivePage(make_server(*serve), again, folder, first.name)
    try:
        _serve(console, page, serve)
    finally:  # also when its report is not waited for
        for place in page.recordings:
            console.print(f"recorded: {place}", soft_wrap=True)


def _replay(console: Any, folder: Path, other: Path | None, serve: _Serve) -> None:
    from tetherlab.contracts.log import Log
    from tetherlab.view.replay_page import ReplayPage
    from tetherlab.view.server import make_server

    with console.status("reading the run"):
        logs = [Log.load(path) for path in (folder, other) if path is not None]
    names = [path.name for path in (folder, other) if path is not None]
    _serve(console, ReplayPage(make_server(*serve), logs, names), serve)


def _serve(console: Any, page: Any, serve: _Serve) -> None:
    """Until Ctrl-C."""
    page.start()
    names = [*_names(serve.host), *serve.allowed_hosts]
    addresses = " or ".join(page.server.address(name) for name in names)
    console.print(f"open {addresses} in a browser; Ctrl-C ends", soft_wrap=True)
    if names != ["localhost"] or serve.host not in LOOPBACK:
        warning = "anyone who has this address and reaches it can fly; it is sent without encryption"
        console.print(warning, style="bold", soft_wrap=True)
    try:
        while True:
            time.sleep(1.0)
    except KeyboardInterrupt:
        with console.status("writing what was recorded"):
            page.stop()


def _names(host: str) -> list[str]:
    """Names under which browsers reach the page."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return [host]
    if address.is_loopback:
        return ["localhost" if host in LOOPBACK else host]
    if not address.is_unspecified:
        return [f"[{address}]" if address.version == 6 else str(address)]
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ELSEWHERE[address.version])  # sends nothing: it asks for the route
        except OSError:
            return ["localhost"]
        own = probe.getsockname()[0]
    return ["localhost", f"[{own}]" if address.version == 6 else own]
