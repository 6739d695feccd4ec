"""Whose fault a failed fast build is: certainly the sources', or possibly that of our slim headers.

In: what the compilers printed, the sources, and the names in torch's real headers, which `inline.warm` writes down.
Out: True only when torch's own way must fail as well, so that half a minute need not be spent on it. The first error
decides. When in doubt the answer is False, which costs time and never a verdict.

NOT covered: errors of overload resolution and conversion that name a type of torch's; they are always in doubt.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from cuda_l1.extensions import slim

_FILE = "names.json"
_ERROR = re.compile(
    r"^(?P<file>[^\s:(][^:(\n]*)(?:\(\d+\)|:\d+(?::\d+)?): (?:fatal )?error: (?P<text>[^\n]*)", re.MULTILINE
)
_QUOTED = r"[\"'‘](?:[\w:]*::)?(\w+)[\"'’]"
_UNKNOWN = re.compile(rf"identifier {_QUOTED} is undefined|{_QUOTED} was not declared|{_QUOTED} does not name a type")
_NO_MEMBER = re.compile(rf"has no member (?:named )?{_QUOTED}|{_QUOTED} is not a member of")
_SYNTAX = re.compile(r"^expected |^missing terminat|^unterminated|^stray |unrecognized token")
_TORCH = re.compile(r"\b(?:at|c10|torch|caffe2|pybind11|py|std|cl1_\w+)::|\bcl1_|Tensor")
_TORCH_HEADER = re.compile(r"(?:torch|ATen|c10|caffe2|pybind11)/")
_OF_TORCH = re.compile(rf"#include <{_TORCH_HEADER.pattern}[^\n]*\n")
_OWN_SYMBOL = re.compile(r"undefined symbol: (?:_Z\d|PyInit_)")
"""A function in no namespace: torch's are all in one."""
_PLAIN = re.compile(
    r"nvcc fatal|unrecognized command-line option|^ptxas (?:error|fatal)|multiple definition of|cannot find -l", re.M
)
"""Failures that do not pass through our headers at all."""
_TOKEN = re.compile(
    r"""extern\ "C(?:\+\+)?"\ *\{ | [{}()]
    | R"(?P<raw>\w*)\(.*?\)(?P=raw)" | "(?:\\.|[^"\\\n])*" | \b\d[\w']* | '(?:\\[^']+|[^'\\\n])'
    | ^[ \t]*\#[ \t]*define[ \t]+(?P<macro>\w+)[^\n]* | ^\#[^\n]* | (?P<name>[A-Za-z_]\w*)""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)


def write_names(folder: Path, preprocessors: Mapping[str, Sequence[str]], headers: dict[str, str]) -> None:
    """Write down the names in torch's real headers, for each kind of source (`main.cpp`, `cuda.cu`): the macros that
    neither the slim headers nor others than torch's have, what is declared in no namespace, and all identifiers.
    `preprocessors`: compilers with flags.
    """
    ours = set(re.findall(r"# *define +(\w+)", "\n".join(path.read_text() for path in slim.HEADERS.glob("*.h"))))
    found = {}
    for kind, command in preprocessors.items():
        probe = folder / f"probe-{kind}"
        standard = "".join(f"#include <{header}>\n" for header in ("vector", *slim.STANDARD))
        probe.write_text(standard + _OF_TORCH.sub("", headers[kind]))
        common, _, _ = _names(_preprocess([*command, str(probe)]))
        probe.write_text(headers[kind])
        macros, outer, every = _names(_preprocess([*command, str(probe)]))
        found[kind] = {
            "macros": sorted(macros - common - ours),
            "global": sorted(outer | macros),
            "all": sorted(every | macros),
        }
        probe.unlink()
    (folder / _FILE).write_text(json.dumps(found))


def is_certain(printed: str, sources: dict[str, str], kit: Path) -> bool:
    """Whether torch's own way would fail too."""
    first = _ERROR.search(printed)
    if first is None:
        return bool(_OWN_SYMBOL.search(printed) or _PLAIN.search(printed))
    text, file = first["text"], Path(first["file"]).name
    if file not in sources:
        return False
    if "No such file" in text:
        return not _TORCH_HEADER.match(text)
    kinds = json.loads((kit / _FILE).read_text())
    cuda = re.search(r"#\s*include[^\n]*cuda", sources[file], re.IGNORECASE)
    known = kinds["cuda.cu" if cuda and "cuda.cu" in kinds else "main.cpp"]
    own = re.findall(r"#\s*define\s+(\w+)", sources[file])
    if set(re.findall(r"\w+", sources[file])).difference(own).intersection(known["macros"]):
        return False  # unexpanded, one makes errors of any kind
    member = _NO_MEMBER.search(text)
    if member:
        return (member[1] or member[2]) not in known["all"]
    unknown = _UNKNOWN.search(text)
    if unknown:
        name = unknown[1] or unknown[2] or unknown[3]
        return name not in known["all" if _may_be_elsewhere(name, sources[file]) else "global"]
    if _SYNTAX.search(text) or ("redefinition of" in text and "PyInit_" in text):
        return True
    return not _TORCH.search(printed[first.start() : _end(printed, first.end())])


def first_error(printed: str) -> str:
    """The line of the first error, without the folder of its file."""
    first = _ERROR.search(printed)
    return first[0].removeprefix(f"{Path(first['file']).parent}/") if first else printed.rstrip().rpartition("\n")[2]


def _may_be_elsewhere(name: str, source: str) -> bool:
    """Whether the name, without a prefix, could mean one in a namespace: imported, or found by a call's arguments."""
    return bool(re.search(rf"\busing\s+(?:namespace\s|[\w:]*::{name}\b)|(?<!\w){name}\s*\(", source))


def _end(printed: str, start: int) -> int:
    """Where the text about one error ends: at the next one."""
    following = _ERROR.search(printed, start)
    return following.start() if following else len(printed)


def _preprocess(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _names(text: str) -> tuple[set[str], set[str], set[str]]:
    """Macros, identifiers outside all braces but those of `extern "C"`, and all identifiers."""
    macros: set[str] = set()
    outer: set[str] = set()
    every: set[str] = set()
    open_braces: list[bool] = []
    depth = parentheses = 0
    for token in _TOKEN.finditer(text):
        word = token[0]
        if token["name"]:
            every.add(word)
            if depth == parentheses == 0:  # names of parameters are nobody's to use
                outer.add(word)
        elif token["macro"]:
            macros.add(token["macro"])
        elif word in "()":
            parentheses += 1 if word == "(" else -1
        elif word.endswith("{"):
            open_braces.append(word == "{")
            depth += word == "{"
        elif word == "}" and open_braces:
            depth -= open_braces.pop()
    return macros, outer, every
