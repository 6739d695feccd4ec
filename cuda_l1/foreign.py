"""Text that others wrote, a candidate, a model, a server, made fit to be kept and shown.

It may hold half of a surrogate pair, which JSON carries and no file takes, a terminal's codes, which clear what stands
above, and line ends, which draw lines that look like ours.
Not covered: marks of Markdown (wording) and of prompts (prompts).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import unicodedata

LONGEST_LINE = 2000
_FILE = re.compile(r"[\w .,()+=@~-]{1,60}\.py")
"""A name that any disk takes, and any terminal shows."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def whole(text: str) -> str:
    """With the halves of surrogate pairs joined, and those that are alone replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def whole_json(text: str) -> str:
    """JSON of the same, with whole characters; what is no JSON as it is, for its reader to say so."""
    if _HALF.search(text):
        with contextlib.suppress(ValueError, RecursionError):
            return whole(json.dumps(json.loads(text), ensure_ascii=False))
    return text


def printable(text: str) -> str:
    """Without what has no form on paper, but line ends and tabs; a carriage return ends a line, too."""
    lines = re.sub(r"\r\n?", "\n", whole(text))
    return "".join(each for each in lines if each.isprintable() or each in "\n\t" or unicodedata.category(each) == "Zs")


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """On one line, without what cannot be printed, and not too long."""
    line = " ".join("".join(each if each.isprintable() else " " for each in whole(text)).split())
    return line if len(line) <= longest else f"{line[: longest - 4]} ..."


def file_name(author: str, otherwise: str) -> str:
    """The name of a Python file, without its folders, where that is who wrote something; else the other."""
    name = os.path.basename(author)
    return name if _FILE.fullmatch(name) else otherwise
