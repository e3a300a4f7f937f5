"""The one door through which YAML enters: safe, strict about types, and clear about where.

PyYAML follows YAML 1.1, in which `1e4` is a string, `on` is True and `10:30` is 630. This loader reads
numbers the way people write them, keeps words as words, and refuses a key that is written twice.
"""

import re
from pathlib import Path
from typing import Any

import yaml

from tetherlab.contracts.errors import InputError


class _Loader(yaml.SafeLoader):
    """SafeLoader with YAML 1.2's idea of booleans and numbers, and no duplicate keys."""


_Loader.yaml_implicit_resolvers = {}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]
)
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$|^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$"
    ),
    list("-+.0123456789"),
)


def _unique_mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
    for index, key in enumerate(keys):
        if key in keys[:index]:
            line = node.value[index][0].start_mark.line + 1
            raise InputError(f"line {line}: {key!r} is written twice; keep one")
    return {
        key: loader.construct_object(value, deep=True)
        for key, (_, value) in zip(keys, node.value, strict=True)
    }


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _unique_mapping)


def _decimal_integer(loader: _Loader, node: yaml.ScalarNode) -> int:
    return int(loader.construct_scalar(node), 10)


_Loader.add_constructor("tag:yaml.org,2002:int", _decimal_integer)


def read_yaml(path: str | Path) -> Any:
    """The contents of a YAML file as plain dicts, lists, numbers and strings."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, name: str) -> Any:
    """The same for a string; `name` says in messages where the text came from."""
    try:
        return yaml.load(text, Loader=_Loader)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        raise InputError(
            f"{name}: {where}not valid YAML: {getattr(error, 'problem', None) or error}"
        ) from None


def lines_of(text: str) -> dict[tuple[str | int, ...], int]:
    """The line on which each key and each item of a YAML text stands, by its path from the top."""
    lines: dict[tuple[str | int, ...], int] = {}
    seen: set[int] = set()

    def walk(path: tuple[str | int, ...], node: yaml.Node) -> None:
        if id(node) in seen:  # an alias: once is enough, and nested ones would take for ever
            return
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = (*path, key.value)
                lines[inner] = key.start_mark.line + 1
                walk(inner, value)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                lines[(*path, index)] = value.start_mark.line + 1
                walk((*path, index), value)

    root = yaml.compose(text, Loader=_Loader)
    if root is not None:
        walk((), root)
    return lines


class _Dumper(yaml.SafeDumper):
    """Quotes exactly what `_Loader` would otherwise take for something else than a string."""


_Dumper.yaml_implicit_resolvers = _Loader.yaml_implicit_resolvers


def write_yaml(value: Any, path: str | Path) -> None:
    """Plain dicts, lists, numbers and strings as a YAML file, keys in the given order."""
    Path(path).write_text(
        yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True), encoding="utf-8"
    )
