"""Whose fault a failed fast build is: certainly the sources', or possibly that of our slim headers.

In: what the compilers printed, the sources, and the identifiers and macros of torch's real headers, which `build.warm`
writes down. Out: True only when torch's own way must fail as well, so that half a minute need not be spent on it. The
first error decides. When in doubt the answer is False, which costs time and never a verdict.

NOT covered: errors of overload resolution and conversion that name a type of torch's; they are always in doubt.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

_NAMES, _MACROS = "names.txt", "macros.txt"
_ERROR = re.compile(
    r"^(?P<file>[^\s:(][^:(\n]*)(?:\(\d+\)|:\d+(?::\d+)?): (?:fatal )?error: (?P<text>[^\n]*)", re.MULTILINE
)
_QUOTED = r"[\"'‘](?:[\w:]*::)?(\w+)(?:\(.*?\))?[\"'’]"
_UNKNOWN = re.compile(
    rf"identifier {_QUOTED} is undefined|{_QUOTED} was not declared in this scope|has no member (?:named )?{_QUOTED}"
    rf"|{_QUOTED} is not a member of|{_QUOTED} does not name a type"
)
_SYNTAX = re.compile(r"^expected |^missing terminat|^unterminated|^stray |unrecognized token")
_TORCH = re.compile(r"\b(?:at|c10|torch|caffe2|pybind11|py|std|cl1_\w+)::|\bcl1_|Tensor|scalar_t\b|__\w+_half")
_TORCH_HEADER = re.compile(r"(?:torch|ATen|c10|caffe2|pybind11)/")
_SYMBOL = re.compile(r"undefined symbol: (\w+)")
_PLAIN = re.compile(
    r"nvcc fatal|unrecognized command-line option|^ptxas (?:error|fatal)|multiple definition of|cannot find -l", re.M
)
"""Failures that do not pass through our headers at all."""


def write_names(folder: Path, compiler: list[str], headers: Path, *, cuda: bool) -> None:
    """Write the identifiers of torch's real headers, and the macros that the slim ones lack, into the folder."""
    real = ["torch/extension.h", *(["ATen/cuda/CUDAContext.h", "c10/cuda/CUDAGuard.h"] if cuda else [])]
    text = _preprocessed(compiler, "".join(f"#include <{name}>\n" for name in real))
    ours = "\n".join(path.read_text() for path in headers.glob("*.h"))
    (folder / _NAMES).write_text("\n".join(sorted(set(re.findall(r"[A-Za-z_]\w*", text)))))
    macros = _macros(text) - _macros(ours) - _macros(_preprocessed(compiler, "#include <cmath>\n#include <vector>\n"))
    (folder / _MACROS).write_text("\n".join(sorted(macros)))


def is_certain(printed: str, sources: dict[str, str], kit: Path) -> bool:
    """Whether torch's own way would fail too."""
    symbol = _SYMBOL.search(printed)
    if symbol:  # a function in no namespace is the sources' own: torch's are all in one
        return symbol[1].startswith("PyInit_") or bool(re.match(r"_Z\d", symbol[1]))
    first = _ERROR.search(printed)
    if first is None:
        return bool(_PLAIN.search(printed))
    text = first["text"]
    if Path(first["file"]).name not in sources:
        return False
    if "No such file" in text:
        return not _TORCH_HEADER.match(text)
    unknown = _UNKNOWN.search(text)
    if unknown:
        name = next((found for found in unknown.groups() if found), "")
        if len(name) == 1 and "member" not in text:  # no header defines a global `x`, though all of them use one
            return True
        return bool(name) and name not in (kit / _NAMES).read_text().split("\n")
    if _SYNTAX.search(text):
        return not set(re.findall(r"\w+", "\n".join(sources.values()))) & set((kit / _MACROS).read_text().split("\n"))
    if "redefinition of" in text and "PYBIND11_MODULE" in printed:
        return True
    return not _TORCH.search(printed[first.start() : _end(printed, first.end())])


def _end(printed: str, start: int) -> int:
    """Where the text about one error ends: at the next one."""
    following = _ERROR.search(printed, start)
    return following.start() if following else len(printed)


def _preprocessed(compiler: list[str], text: str) -> str:
    command = [*compiler, "-E", "-dD", "-x", "c++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def _macros(text: str) -> set[str]:
    return set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE))
