"""Draw docs/figures/architecture.svg and step.svg from the code itself.

The first shows the rooms as the layers of pyproject.toml with the imports that exist; the second what one
step of a tether calls, in the order of the source. `--check` writes nothing and fails if a figure is stale.
"""

import ast
import sys
import tomllib
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tetherlab"
FIGURES = ROOT / "docs" / "figures"
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #1d2b36 } .small { font-size: 11px; fill: #5b6b78 }
.room { fill: #e8f0f7; stroke: #1f4e79; stroke-width: 1.5 }
.planned { fill: #fff; stroke: #b6c0c8; stroke-dasharray: 4 3 }
.band { fill: #f6f8f9 } .arrow { fill: none; stroke: #c05a1a; stroke-width: 1.6; opacity: .85 }
.call { fill: #fff; stroke: #9fb3c4 } .next { stroke: #1f4e79; stroke-width: 1.6; fill: none }
</style>
<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0L10 5L0 10z" fill="#c05a1a"/></marker><marker id="dark" viewBox="0 0 10 10" refX="9" refY="5"
markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" fill="#1f4e79"/></marker></defs>
"""


def svg(width, height, parts):
    """A complete SVG document."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">\n'
    back = f'<rect width="{width}" height="{height}" fill="#fff"/>\n'
    return head + STYLE + back + "\n".join(parts) + "\n</svg>\n"


def rectangle(x, y, width, height, kind):
    """A box with round corners."""
    return f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" rx="6" class="{kind}"/>'


def text(x, y, words, kind="", anchor="middle"):
    """One line of text."""
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def layers():
    """Rooms from top to bottom, as pyproject.toml has them; brackets mark those to come."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    found = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[room.strip(" ()") for room in layer.split("|")] for layer in found]


def draw_rooms():
    """Layers, rooms and imports."""
    graph = grimp.build_graph("tetherlab")
    row_height, gap, left, right, width = 44, 26, 90, 810, 900
    parts, box = [], {}
    for row, rooms in enumerate(layers()):
        top = 16 + row * (row_height + gap)
        parts.append(rectangle(left - 12, top - 6, right - left + 24, row_height + 12, "band"))
        size = (right - left - 14 * (len(rooms) - 1)) / len(rooms)
        for column, room in enumerate(rooms):
            x = left + column * (size + 14)
            there = (SOURCE / room / "__init__.py").exists()
            box[room] = (row, x, top, size, there)
            parts.append(rectangle(x, top, size, row_height, "room" if there else "planned"))
            parts.append(text(round(x + size / 2), top + 20, room))
            parts.append(text(round(x + size / 2), top + 35, purpose(room) if there else "to come", "small"))
    rooms = [room for room in box if box[room][4]]
    arrows = [(a, b) for a in rooms for b in rooms if a != b and imports(graph, a, b)]
    for number, (a, b) in enumerate(sorted(arrows, key=lambda arrow: (box[arrow[0]][0], box[arrow[1]][0]))):
        parts.append(route(box[a], box[b], row_height, number, left, right))
    return svg(width, 16 + len(layers()) * (row_height + gap), parts)


def imports(graph, a, b):
    """Whether room a imports room b, directly or by `import tetherlab as tl`."""
    room, other = f"tetherlab.{a}", f"tetherlab.{b}"
    if graph.direct_import_exists(importer=room, imported=other, as_packages=True):
        return True
    modules = {room} | graph.find_descendants(room)
    public = any("tetherlab" in graph.find_modules_directly_imported_by(module) for module in modules)
    return public and any(
        name.startswith(other) for name in graph.find_modules_directly_imported_by("tetherlab")
    )


def route(start, stop, row_height, number, left, right):
    """A path from the bottom of one box to the top of another, by a lane at the side if rows lie between."""
    (row_a, x_a, top_a, size_a, _), (row_b, x_b, top_b, size_b, _) = start, stop
    out = x_a + size_a * (0.2 + 0.1 * (number % 7))
    into = x_b + size_b * (0.2 + 0.1 * (number % 7))
    y_a, y_b = top_a + row_height, top_b - 1
    if row_b == row_a + 1:
        return f'<path class="arrow" marker-end="url(#tip)" d="M{out:.0f} {y_a} L{into:.0f} {y_b}"/>'
    onto_left = x_b + size_b / 2 < (left + right) / 2
    lane = left - 24 - 9 * (number % 6) if onto_left else right + 24 + 9 * (number % 6)
    low, high = y_a + 5 + 2 * (number % 7), y_b - 5 - 2 * (number % 7)
    way = f"M{out:.0f} {y_a} V{low} H{lane} V{high} H{into:.0f} V{y_b}"
    return f'<path class="arrow" marker-end="url(#tip)" stroke-linejoin="round" d="{way}"/>'


def purpose(room):
    """The first words of a room's docstring."""
    words = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text())) or ""
    first = words.splitlines()[0].split(".")[0]
    return first if len(first) < 66 else first[:66].rsplit(",", 1)[0]


def function(path, name):
    """The definition of a function or method in a file."""
    for node in ast.walk(ast.parse((SOURCE / path).read_text())):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise SystemExit(f"{path} has no function {name}: tell tools/draw_architecture.py where it went")


def home_of_names(path):
    """Which of our modules a name of this file comes from."""
    tree, homes = ast.parse((SOURCE / path).read_text()), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tetherlab."):
            homes.update({alias.asname or alias.name: node.module.split(".", 1)[1] for alias in node.names})
        elif isinstance(node, ast.FunctionDef):
            homes[node.name] = path.removesuffix(".py").replace("/", ".")
    return homes


def calls(path, name):
    """Our own functions that a function calls, in the order of the source, each once: [(name, module)]."""
    homes, found = home_of_names(path), {}
    nodes = [node for node in ast.walk(function(path, name)) if isinstance(node, ast.Call)]
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
        called = node.func
        word = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if isinstance(called, ast.Attribute) and getattr(called.value, "id", "") != "self":
            continue
        if word in homes and not word.startswith("open_") and not word.endswith("Error"):
            found.setdefault(word, homes[word])
    return list(found.items())


def draw_step():
    """The calls of one step: of `Tether.step`, and within it of `advance`, `prepare`, `newton`, `accept`."""
    columns = [
        ("Tether.step", "tether/tether.py", "step"),
        ("advance", "tether/advance.py", "advance_kernel"),
    ]
    columns += [(name, f"tether/{name}.py", name) for name in ("prepare", "newton", "accept")]
    wide, pitch, parts, deepest = 160, 182, [], 0
    for column, (title, path, name) in enumerate(columns):
        x = 12 + column * pitch
        parts.append(rectangle(x, 12, wide, 40, "room"))
        parts.append(text(x + wide // 2, 30, title))
        parts.append(text(x + wide // 2, 45, path, "small"))
        inside = calls(path, name)
        deepest = max(deepest, len(inside))
        for row, (called, module) in enumerate(inside):
            y = 64 + 40 * row
            parts.append(rectangle(x, y, wide, 32, "call"))
            parts.append(text(x + 8, y + 14, called, anchor="start"))
            parts.append(text(x + 8, y + 27, module, "small", "start"))
            for target in range(column + 1, len(columns)):
                if called == columns[target][0]:
                    end, lane = 12 + target * pitch, x + wide + 5 * (target - column)
                    way = f"M{x + wide} {y + 16} H{lane} "
                    way += f"V32 H{end}" if target == column + 1 else f"V{11 - 3 * target + 3 * column} "
                    way += "" if target == column + 1 else f"H{end + wide // 2} V12"
                    parts.append(f'<path class="next" marker-end="url(#dark)" d="{way}"/>')
    return svg(12 + len(columns) * pitch, 76 + 40 * deepest, parts)


def main():
    """Write both figures, or with --check compare them."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    stale = []
    for name, drawing in (("architecture.svg", draw_rooms()), ("step.svg", draw_step())):
        path = FIGURES / name
        if "--check" not in sys.argv:
            path.write_text(drawing, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != drawing:
            stale.append(name)
    if stale:
        raise SystemExit(
            f"{', '.join(stale)} no longer shows the code: run python tools/draw_architecture.py"
        )


if __name__ == "__main__":
    main()
