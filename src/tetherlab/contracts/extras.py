"""What a plain install leaves out, and how its absence is answered.

Every package that only some users need is imported through, or behind, `require`: nothing else in the
package has to know what belongs to which extra.
"""

from importlib.util import find_spec

from tetherlab.contracts.errors import InputError

# Extra of pyproject.toml: the modules that it brings and what they are needed for.
EXTRAS = {
    "report": (("matplotlib", "jinja2"), "reports and figures"),
    "view": (("viser", "trimesh", "matplotlib", "jinja2"), "the view in the browser"),
    "mapping": (("small_gicp", "trimesh"), "maps of walls and meshes as obstacles"),
    "mujoco": (("mujoco",), "MuJoCo beside this engine"),
    "peers": (("moordyn",), "MoorDyn beside this engine"),
    "study": (("unified_planning", "up_pyperplan"), "a general planner beside this one"),
}


class MissingExtraError(InputError, ImportError):
    """Packages of an extra are not installed; the message holds the command that installs them."""


def what_is_missing(extra: str) -> str:
    """A sentence with the command that installs an extra; empty if all of it is installed."""
    modules, purpose = EXTRAS[extra]
    missing = [name for name in modules if find_spec(name) is None]
    if not missing:
        return ""
    *others, last = missing
    names = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    return f'{names} not installed, needed for {purpose}: pip install "tetherlab[{extra}]"'


def require(extra: str) -> None:
    """Raise that sentence, unless all of the extra is installed."""
    if sentence := what_is_missing(extra):
        raise MissingExtraError(sentence)
