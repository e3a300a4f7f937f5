"""The command `tetherlab scenarios`: what is packaged, and a file to start one's own from."""

from pathlib import Path

from cyclopts import App

HELP = """List the packaged scenarios, or show one.

Example: tetherlab scenarios show theatre > my.yaml
"""
scenarios = App(name="scenarios", help=HELP)


@scenarios.default
def list_scenarios() -> None:
    """List the packaged scenarios.

    Example: tetherlab scenarios
    """
    from rich.console import Console
    from rich.table import Table

    from tetherlab.scenario.library import find, packaged

    table = Table("scenario", "what happens", box=None)
    for name in packaged("scenarios"):
        data, _ = find("scenarios", name, Path()).read()
        table.add_row(name, data["description"])
    Console(markup=False).print(table)


@scenarios.command
def show(name: str) -> None:
    """Print a packaged scenario as YAML, to start one's own.

    Example: tetherlab scenarios show theatre > my.yaml

    Parameters
    ----------
    name
        A name of the list, or a file.
    """
    from tetherlab.scenario.library import find

    print(find("scenarios", name, Path()).text, end="")


@scenarios.command
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors that complete and check while one types.

    Example: tetherlab scenarios schema > scenario.schema.json
    """
    from tetherlab.scenario.schema import schema_text

    print(schema_text(), end="")
