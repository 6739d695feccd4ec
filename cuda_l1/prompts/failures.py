"""What went wrong with a candidate, for the model that wrote it: the rule that was broken and the error that matters.

Of compiler output that is the first error with its line, of a wrong output the worst element and its input set. The
rule's words live in findings.md; a check that has no words there is told by name alone. Left out: by how much an error
was too large, how and when the judge measures, paths of its machine, and whatever else would help to get past it.
NOT covered: other notes of a candidate that passed than those that deny it a win for what it is.
"""

from __future__ import annotations

import re
from pathlib import Path

from cuda_l1.prompts.templates import Templates, fenced, one_line
from cuda_l1.types import NO_WIN, Evaluation, Status

_MOST_EVIDENCE = 800
_LINES_AFTER = 4
"""The compiler shows the source line and a caret behind its message."""
_FOLLOWING = re.compile(
    r"^(?:[^\s:(][^:(\n]*(?:\(\d+\)|:\d+(?::\d+)?): (?:(?:fatal )?error|warning|note|remark)\b|In file included from "
    r"|[^\s:][^:\n]*: (?:In|At) )",
    re.MULTILINE,
)
"""Where the next message of the compiler begins."""
_COMPILER_ERRORS = (
    re.compile(r"^[^\s:(][^:(\n]*(?:\(\d+\)|:\d+(?::\d+)?): (?:fatal )?error\b", re.MULTILINE),
    re.compile(
        r"^.*(?:undefined (?:reference|symbol)|multiple definition|cannot find -l|nvcc fatal|ptxas (?:fatal|error))",
        re.MULTILINE,
    ),
)
"""In this order: an error of a source, then one of the linker or of what comes after the compiler."""
_FOLDERS = re.compile(r"(?<![\w.:/])/(?:[\w.+~-]+/)+(?=[\w.+~-])")
_BOUND = re.compile(r",? ?\(at most [^()]*\)")


def what_went_wrong(evaluation: Evaluation, folder: Path | None = None) -> str:
    """A few sentences and lines on a candidate that did not pass; nothing for one that did."""
    if evaluation.status is Status.PASSED:
        return ""
    templates = Templates(folder)
    known = templates.sections("findings.md")
    check, detail = next(((each.check, each.detail) for each in evaluation.findings), ("", ""))
    evidence = fenced(_evidence(check, detail, evaluation.log), "text")
    if check in known:
        return templates.section("findings.md", check, evidence=evidence, check=check)
    name = one_line(check) or str(evaluation.status)
    return f"{evaluation.status}. " + templates.section("findings.md", "other", evidence="", check=name)


def no_win(evaluation: Evaluation, templates: Templates) -> str:
    """Why a candidate that passed can be no win, however fast it is; nothing for any other."""
    note = evaluation.note(*NO_WIN)
    return templates.section("findings.md", note.check, evidence="", check=note.check) if note else ""


def first_error(printed: str) -> str | None:
    """The first error of a compiler or linker in what was printed, with the source lines behind it."""
    for pattern in _COMPILER_ERRORS:
        if found := pattern.search(printed):
            end = _FOLLOWING.search(printed, found.end())
            text = printed[found.start() : end.start() if end else None]
            return "\n".join(text.splitlines()[: 1 + _LINES_AFTER])
    return None


def compiler_error(check: str, detail: str) -> str | None:
    """Of a finding that holds a compiler's output its first error, without folders."""
    return first_error(_FOLDERS.sub("", detail)) if check in ("build", "forward") else None


def _evidence(check: str, detail: str, log: str) -> str:
    """The part of a finding that its author needs; the end of the log when the finding itself says little."""
    detail, log = _FOLDERS.sub("", detail), _FOLDERS.sub("", log)
    if error := compiler_error(check, detail):
        detail = error
    elif check in ("build", "process"):
        detail = f"{_cut(detail)}\n{first_error(log) or log[-_MOST_EVIDENCE // 2 :].strip()}"
    return _cut(_BOUND.sub("", detail))


def _cut(text: str) -> str:
    """Its beginning and its end."""
    text = text.strip()
    half = _MOST_EVIDENCE // 2
    return text if len(text) <= _MOST_EVIDENCE else f"{text[:half]}\n...\n{text[-half:]}"
