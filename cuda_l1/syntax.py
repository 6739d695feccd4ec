"""Python text that others wrote: as a file that runs as it is read, and read with `ast`, which may fail in many ways.

Not covered: what a text says (parsing, tasks, identity), and running it (judge, tasks).
"""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
import warnings

LONGEST = 1 << 18
"""Characters of a candidate that are read: of a million all readings take half a minute of the judge's own time, and a
GiB."""
_UTF8_MISSPELT = re.compile(r"\A((?:[ \t\f]*(?:#.*)?\n)?[ \t\f]*#.*?coding[:=][ \t]*)utf8(?![-\w.])", re.IGNORECASE)
"""Behind the mark of UTF-8 Python takes no `coding: utf8`, only `utf-8`."""


def encoded(text: str) -> bytes:
    """A source file of the text that runs as it is read. Python decodes a file as a comment at its beginning says,
    which `ast.parse` of a text ignores: in a file marked as UTF-8, one that says otherwise is a SyntaxError."""
    return codecs.BOM_UTF8 + _UTF8_MISSPELT.sub(r"\1utf-8", text.removeprefix("\ufeff")).encode()


def read(text: str) -> ast.Module:
    """SyntaxError for all that is not Python, in whatever way `ast` says so."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a string is its writer's own business
            return ast.parse(encoded(text))
    except (RecursionError, MemoryError):
        raise SyntaxError("nested too deep to be read") from None
    except ValueError as error:  # null bytes, half of a surrogate pair
        raise SyntaxError(str(error)) from None


def without_words(text: str) -> str:
    """The text without what it says to people: comments, and strings that are statements, as docstrings are, with an
    empty one in their place. As it is where it is not Python."""
    cut: list[tuple[tokenize.TokenInfo, str]] = []
    begins = True
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and begins):
                cut.append((token, "" if token.type == tokenize.COMMENT else '""'))
            if token.type not in (tokenize.COMMENT, tokenize.NL):
                begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    except (tokenize.TokenError, SyntaxError):
        return text
    lines = io.StringIO(text).readlines()
    for token, instead in reversed(cut):
        (first, left), (last, right) = token.start, token.end
        lines[first - 1 : last] = [lines[first - 1][:left] + instead + lines[last - 1][right:]]
    return "".join(lines)


def reason(error: SyntaxError) -> str:
    """Python's own words, but for an encoding, of which it speaks in terms of the mark that `encoded` puts."""
    if str(error.msg).startswith("encoding problem"):
        return "the file names an encoding other than UTF-8 at its beginning: take that comment out"
    return str(error.msg)
