"""The one door through which YAML enters: safe, strict about types, and clear about where.

PyYAML follows YAML 1.1, in which `1e4` is a string, `on` is True and `10:30` is 630. This reader takes
numbers the way people write them, keeps words as words, and refuses a key that is written twice. Documents
are limited in size, depth and what aliases repeat, so that no file costs more than its size allows.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import DEPTH_MAX, read_text, whole_number
from tetherlab.contracts.files import replacing

SIZE_MAX = 8 * 2**20  # of a document [bytes]
VALUES_MAX = 500_000  # keys and values of a document
REPEATED_MAX = 100_000  # of these that aliases may repeat
KEY_MAX, TEXT_MAX = 200, 2000  # characters of a key, and of a text
SHORT = 100_000  # characters of a text that is worth a second look for a better sentence

KeyPath = tuple[str | int, ...]
Lines = dict[KeyPath, int]

_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_NULL = re.compile(r"~|null|Null|NULL|")
_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


# Tag, what a plain word of it looks like and what it becomes; in the order in which they are tried.
_WORDS: dict[str, tuple[re.Pattern[str], Callable[[str], Any]]] = {
    "bool": (_BOOL, lambda text: text.lower() == "true"),
    "null": (_NULL, lambda text: None),
    "int": (_INT, whole_number),
    "float": (_FLOAT, float),
    ".inf": (_INFINITE, lambda text: float(text.replace(".", ""))),
    "str": (re.compile(r"(?s:.*)"), str),
}
_TAGS = "tag:yaml.org,2002:"
_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same events, twenty times faster


def read_yaml(path: str | Path) -> Any:
    """The contents of a YAML file as plain dicts, lists, numbers and strings."""
    return parse_yaml(read_text(path, SIZE_MAX), str(path))


def parse_yaml(text: str, name: str) -> Any:
    """The same for a string; `name` says in messages where the text came from."""
    return parse_yaml_lines(text, name)[0]


def parse_yaml_lines(text: str, name: str) -> tuple[Any, Lines]:
    """The same, and the line on which each key and each item stands, by its path from the top."""
    if len(text) > SIZE_MAX:
        raise InputError(f"{name}: has {len(text)} characters; at most {SIZE_MAX} are read")
    try:
        return _Composer(text).document()
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{name}: {_sentence(text, error)}") from None


def _sentence(text: str, error: yaml.YAMLError) -> str:
    """What is wrong with a text that is not YAML."""
    if len(text) <= SHORT and _PARSER is not yaml.SafeLoader:  # which says more
        try:
            for _ in yaml.parse(text, Loader=yaml.SafeLoader):
                pass
        except yaml.YAMLError as other:
            error = other
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}: " if mark else ""
    return f"{where}not valid YAML: {getattr(error, 'problem', None) or str(error).splitlines()[0]}"


class _Composer:
    """Builds the data of a document from the parser's events, one after another, and counts as it goes."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=_PARSER))
        self._lines: Lines = {}
        self._anchors: dict[str, tuple[Any, int] | None] = {}  # data and its values; None: not complete yet
        self._count = self._repeated = 0

    def document(self) -> tuple[Any, Lines]:
        """The only document of the text, None if there is none."""
        next(self._events)  # the stream begins
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None, {}
        data = self._value(next(self._events), ())
        next(self._events)  # the document ends
        rest = next(self._events)
        if not isinstance(rest, yaml.StreamEndEvent):
            raise _at(rest, "another document begins; a file holds one")
        return data, self._lines

    def _value(self, event: Any, path: KeyPath) -> Any:
        before = self._count
        self._count += 1
        if self._count > VALUES_MAX:
            raise _at(event, f"more than {VALUES_MAX} keys and values")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            data = _word(event)
            if isinstance(data, str) and len(data) > TEXT_MAX:
                raise _at(event, f"a text has {len(data)} characters; at most {TEXT_MAX} are read")
        elif len(path) >= DEPTH_MAX:
            raise _at(event, f"more than {DEPTH_MAX} lists and mappings in each other")
        elif isinstance(event, yaml.SequenceStartEvent):
            data = self._list(event, path)
        else:
            data = self._mapping(event, path)
        if event.anchor is not None:
            self._anchors[event.anchor] = data, self._count - before
        return data

    def _alias(self, event: Any) -> Any:
        if event.anchor not in self._anchors:
            raise _at(event, f"nothing is marked &{event.anchor} before this")
        known = self._anchors[event.anchor]
        if known is None:
            raise _at(event, f"*{event.anchor} stands for something that it is part of")
        self._repeated += known[1]
        self._count += known[1]
        if self._repeated > REPEATED_MAX:
            raise _at(event, f"aliases repeat more than {REPEATED_MAX} keys and values")
        return known[0]

    def _list(self, event: Any, path: KeyPath) -> list[Any]:
        _require_tag(event, "seq")
        items: list[Any] = []
        while not isinstance(inner := next(self._events), yaml.SequenceEndEvent):
            place = (*path, len(items))
            self._lines[place] = _line(inner)
            items.append(self._value(inner, place))
        return items

    def _mapping(self, event: Any, path: KeyPath) -> dict[Any, Any]:
        _require_tag(event, "map")
        items: dict[Any, Any] = {}
        while not isinstance(inner := next(self._events), yaml.MappingEndEvent):
            if not isinstance(inner, (yaml.ScalarEvent, yaml.AliasEvent)):
                raise _at(inner, "a key must be a word, not a list or mapping")
            key = self._value(inner, path)
            if isinstance(key, (list, dict)):
                raise _at(inner, "a key must be a word, not a list or mapping")
            name = str(key) if isinstance(inner, yaml.AliasEvent) else inner.value
            if len(name) > KEY_MAX:
                raise _at(inner, f"a key has {len(name)} characters; at most {KEY_MAX} are read")
            if key in items:
                raise _at(inner, f"{key!r} is written twice; keep one")
            place = (*path, name)
            self._lines[place] = _line(inner)
            items[key] = self._value(next(self._events), place)
        return items


def _word(event: Any) -> Any:
    """The value of a scalar: by its tag if it has one, text if it is quoted, else by how it looks."""
    text = event.value
    if event.tag is None or event.tag == "!":
        plain = event.implicit[0] and event.tag is None
        return next(
            make(text)
            for kind, (form, make) in _WORDS.items()
            if form.fullmatch(text) and (plain or kind == "str")
        )
    kind = event.tag.removeprefix(_TAGS)
    if kind not in ("bool", "null", "int", "float", "str"):
        _require_tag(event, "str")
    form, make = _WORDS[kind]
    if kind == "float":
        form = re.compile(f"{_FLOAT.pattern}|{_INT.pattern}")
        if _INFINITE.fullmatch(text):
            form, make = _WORDS[".inf"]
    if not form.fullmatch(text):
        raise _at(event, f"!!{kind} cannot be {text[:KEY_MAX]!r}")
    return make(text)


def _require_tag(event: Any, kind: str) -> None:
    """Refuse types beyond plain data."""
    if event.tag not in (None, "!", _TAGS + kind):
        raise _at(
            event, f"not valid YAML: could not determine a constructor for the tag {event.tag[:KEY_MAX]!r}"
        )


def _at(event: Any, text: str) -> InputError:
    return InputError(f"line {_line(event)}: {text}")


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


class _Dumper(yaml.SafeDumper):
    """Quotes exactly what `parse_yaml` would otherwise take for something else than a string.

    Lists of plain values stand on one line, and what occurs twice is written twice: people read these files.
    """

    def represent_sequence(
        self, tag: str, sequence: Any, flow_style: bool | None = None
    ) -> yaml.SequenceNode:
        plain = not any(isinstance(item, (dict, list, tuple)) for item in sequence)
        return super().represent_sequence(tag, sequence, flow_style=plain)

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.yaml_implicit_resolvers = {}
for _kind, _form, _first in (
    ("bool", _BOOL, list("tTfF")),
    ("null", _NULL, ["~", "n", "N", ""]),
    ("int", _INT, list("-+0123456789")),
    ("float", _FLOAT, list("-+.0123456789")),
    ("float", _INFINITE, list("-+.")),
):
    _Dumper.add_implicit_resolver(_TAGS + _kind, re.compile(f"(?:{_form.pattern})$"), _first)


def write_yaml(value: Any, path: str | Path, *, comment: str = "") -> None:
    """Plain dicts, lists, numbers and strings as a YAML file, keys in the given order, below a comment."""
    with replacing(path) as file:
        file.writelines(f"# {line}\n" for line in comment.splitlines())
        file.write(format_yaml(value))


def format_yaml(value: Any) -> str:
    """The same as text."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
