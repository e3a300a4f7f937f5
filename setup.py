"""Build step: the long description of the package is README.md without what only the repository holds.

A package index shows it far from these folders, where a picture or a link by relative path leads nowhere.
Everything else is in pyproject.toml.
"""

import re
from pathlib import Path

from setuptools import setup

RELATIVE = r"\((?![a-z]+://|#)[^)]*\)"


def portable(text: str) -> str:
    """Markdown without pictures by relative path; of such links the words stay."""
    text = re.sub(rf"^!\[[^\]]*\]{RELATIVE}\n+", "", text, flags=re.M)
    return re.sub(rf"(?<!!)\[([^\]]*)\]{RELATIVE}", r"\1", text)


setup(
    long_description=portable(Path("README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
)
