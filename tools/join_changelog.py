"""Join the fragments of changelog/ under a version at the top of CHANGELOG.md, and delete them.

Example: python tools/join_changelog.py 0.1.0
"""

import datetime
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ("added", "changed", "fixed", "removed", "security")


def join(version, folder, date):
    """The section of a version from the fragments in a folder, and the fragments used."""
    fragments = sorted(path for path in folder.glob("*.*.md"))
    unknown = [path.name for path in fragments if path.suffixes[0][1:] not in KINDS]
    if unknown:
        raise SystemExit(f"{', '.join(unknown)}: the kind must be one of {', '.join(KINDS)}")
    lines = [f"## {version} ({date})", ""]
    for kind in KINDS:
        texts = [path.read_text(encoding="utf-8").strip() for path in fragments if f".{kind}." in path.name]
        if texts:
            lines += [f"### {kind.capitalize()}", "", *(f"- {text}" for text in texts), ""]
    return "\n".join(lines), fragments


def main():
    """Write the file."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    section, fragments = join(sys.argv[1], ROOT / "changelog", datetime.date.today().isoformat())
    path = ROOT / "CHANGELOG.md"
    older = path.read_text(encoding="utf-8").removeprefix("# Changelog\n") if path.exists() else ""
    path.write_text(f"# Changelog\n\n{section}{older}", encoding="utf-8")
    for fragment in fragments:
        fragment.unlink()


if __name__ == "__main__":
    main()
