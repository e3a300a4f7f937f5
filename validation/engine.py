"""The fingerprint of the engine: tells whether the physics has changed since a study was measured."""

import hashlib
import io
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "tetherlab"
ROOMS = ("math", "world", "tether", "vehicles", "plant", "sim")
DIGITS = 12
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING)
STARTS = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)  # what stands between statements


@cache
def fingerprint(package: Path = PACKAGE) -> str:
    """A hash of the code of the physics; comments, docstrings and line breaks do not count."""
    digest = hashlib.sha256()
    for path in sorted(path for room in ROOMS for path in (package / room).rglob("*.py")):
        digest.update(
            f"{path.relative_to(package).as_posix()}\n{code_of(path.read_text('utf-8'))}\n".encode()
        )
    return digest.hexdigest()[:DIGITS]


def code_of(source: str) -> str:
    """The tokens of a source, each on a line of its own, without comments and docstrings."""
    tokens = [
        token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type not in LAYOUT
    ]
    kept: list[str] = []
    for statement in _statements(tokens):
        if [token.type for token in statement if token.type not in STARTS] == [tokenize.STRING]:
            statement = [token for token in statement if token.type in (tokenize.INDENT, tokenize.DEDENT)]
        # How deep a line is indented is a matter of layout, that it is indented is not.
        kept += [
            tokenize.tok_name[token.type] if token.type in STARTS else token.string for token in statement
        ]
    return "\n".join(kept)


def _statements(tokens: list[tokenize.TokenInfo]) -> Iterator[list[tokenize.TokenInfo]]:
    """The tokens up to each end of a line of code."""
    begin = 0
    for end, token in enumerate(tokens, 1):
        if token.type == tokenize.NEWLINE or end == len(tokens):
            yield tokens[begin:end]
            begin = end
