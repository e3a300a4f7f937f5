"""A hook of mkdocs: `{{ World }}` on a page becomes what the code says about `tl.World`.

Docstrings, signatures and the comments beside fields are the one source: what is written here could not be
out of date.
"""

import ast
import enum
import importlib
import inspect
import re
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

NAME = re.compile(r"^\{\{ ([\w.]+) \}\}$", re.M)
ITEM = re.compile(r"^(\w+(?:, \w+)*): ")  # a line of a docstring about some arguments
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
SPACES = ("shapes.", "estimation.", "planning.")  # whose names are public as tl.shapes.Box


def on_page_markdown(markdown, **_):
    """What mkdocs calls for every page."""
    return NAME.sub(lambda match: describe(match[1]), markdown)


def find(name):
    """The object behind a name of `tl`, or of a module below it."""
    module, _, last = f"tetherlab.{name}".rpartition(".")
    return getattr(importlib.import_module(module), last)


def describe(name):
    """Heading, signature, text, fields and members of a class or function, as Markdown."""
    found = find(f"world.{name}" if name.startswith("shapes.") else name)
    public = name if name.startswith(SPACES) or "." not in name else name.rpartition(".")[2]
    prefix = "" if public != name else "tl."
    if inspect.isfunction(found):
        return "\n".join([f"### {prefix}{public}", "", code(public, found), "", *text(found)])
    comments = field_comments(found)
    lines = [f"### {prefix}{public}", "", *text(found)]
    # The arguments of a record are its fields, and these stand in a table with their units.
    if comments:
        given = any(default for default, _ in comments.values())
        lines += ["", "| name | meaning |" + " unless given |" * given, "|---|---|" + "---|" * given]
        for key, (default, words) in comments.items():
            lines.append(f"| `{key}` | {words} |" + f" {default} |" * given)
    elif issubclass(found, enum.Enum):
        lines += ["", *(f"- `{member.name}`: {escape(str(member.value))}" for member in found)]
    elif prefix and not issubclass(found, Exception) and not getattr(found, "_is_protocol", False):
        lines += ["", code(public, found), "", *text(found.__init__)]
    for key, member in members(found):
        lines += ["", f"#### {public}.{key}", "", *member]
    return "\n".join(lines)


def members(found):
    """(name, lines) of the public methods and properties, in the order of the code, inherited ones last."""
    seen = set()
    for owner in found.__mro__:
        if not owner.__module__.startswith("tetherlab") or issubclass(owner, Exception):
            continue
        for key, value in vars(owner).items():
            if key.startswith("_") or key in seen:
                continue
            seen.add(key)
            if isinstance(value, property):
                yield key, text(value.fget)
            elif isinstance(value, (staticmethod, classmethod)) or inspect.isfunction(value):
                function = getattr(found, key)
                yield key, [code(key, function), "", *text(function)]


def code(name, function):
    """The call in a block: arguments and what is taken if they are not given, without types."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_KEYWORD]
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters if p.name != "self"]
    signature = ADDRESS.sub("", str(inspect.Signature(plain)))
    return f"```\n{name}{signature}\n```"


def text(documented):
    """The docstring as Markdown: a line that begins with arguments and a colon is an item."""
    arguments = inspect.signature(documented).parameters if inspect.isroutine(documented) else {}
    lines, inside = [""], False
    for line in inspect.cleandoc(documented.__doc__ or "").splitlines():
        item = ITEM.match(line)
        names = item[1].split(", ") if item else []
        if item and set(names) <= set(arguments):
            if not inside and lines[-1]:
                lines.append("")
            lines.append(f"- {', '.join(f'`{name}`' for name in names)}: {escape(line[item.end() :])}")
            inside = True
        else:
            inside = inside and line != ""
            equation = "  " * (" = " in line)  # ends its line
            lines.append("  " * inside + escape(line.strip()) + equation)
    return lines[1:]


def escape(words):
    """Characters outside of code that Markdown or HTML would take for its own."""
    parts = re.split(r"(`[^`]*`)", words)
    return "".join(part if part.startswith("`") else _escape_plain(part) for part in parts)


def _escape_plain(words):
    return re.sub(r"([*_|\[\]])", r"\\\1", words.replace("<", "&lt;").replace(">", "&gt;"))


def field_comments(found):
    """name -> (default, comment): the fields of a record, or what `__init__` sets and explains."""
    record = hasattr(found, "__dataclass_fields__") or hasattr(found, "_fields")
    fields = {}
    for owner in reversed(found.__mro__):
        if not owner.__module__.startswith("tetherlab") or owner.__name__ == "Shape":
            continue
        source = textwrap.dedent(inspect.getsource(owner))
        lines = source.splitlines()
        for node in ast.walk(ast.parse(source)):
            last = lines[node.end_lineno - 1] if hasattr(node, "lineno") else ""
            words = re.search(r"#\s*(.*)$", last)
            if record and isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                default = "" if node.value is None else ast.unparse(node.value)
                default = f"`{default}`" if default and "field(" not in default else ""
                fields[node.target.id] = (default, escape(words[1]) if words else "")
            elif not record and words and isinstance(node, ast.Assign):
                target = node.targets[0]
                if isinstance(target, ast.Attribute) and not target.attr.startswith("_"):
                    fields[target.attr] = ("", escape(words[1]))
    return fields
