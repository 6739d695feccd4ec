"""The question to the model: reference and facts, scored exemplars, failures, protocol, requirements, restrictions.

A Task and what is known of it go in, chat messages come out, and in words what did not fit. The words live in
`prompt_templates/*.md`; a folder given by the user replaces them file by file (docs/prompts.md). Layout after CUDA-L1
(arXiv 2507.14111, table 3). Not covered: choosing the exemplars (sampling), asking (llm), reading the answer (parsing).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cuda_l1.errors import ConfigError
from cuda_l1.prompts import told
from cuda_l1.prompts.budget import fitting, tokens, tokens_of
from cuda_l1.prompts.failures import first_error, what_went_wrong
from cuda_l1.prompts.templates import Templates, fenced, one_line
from cuda_l1.types import Exemplar, Message, Task, TaskFacts

__all__ = ["LANGUAGES", "Prompt", "build", "first_error", "repair", "tokens", "tokens_of", "what_went_wrong"]

LANGUAGES = ("any", "torch", "cpp", "cuda", "triton")


class Prompt(NamedTuple):
    """The system and the user message, and what was left out of them for lack of room, in words."""

    messages: list[Message]
    left_out: tuple[str, ...]


class _Piece(NamedTuple):
    """A part that may be left out: the template's field that it belongs to, and its one or two versions, the shorter
    first."""

    field: str
    versions: tuple[str, ...]


def build(
    task: Task,
    exemplars: Sequence[Exemplar],
    *,
    device_name: str,
    language: str = "any",
    folder: Path | None = None,
    failures: Sequence[Exemplar] = (),
    untried: Sequence[str] = (),
    facts: TaskFacts | None = None,
    token_budget: int | None = None,
) -> Prompt:
    """The question, in at most `token_budget` tokens (by our estimate) where one is given.

    `failures` are judged candidates that did not pass, `untried` names of techniques. The reference and the protocol
    are never left out: ConfigError when they alone do not fit. The exemplars' order is kept, and when they do not all
    fit, those of the highest score stay.
    """
    if language not in LANGUAGES:
        raise ConfigError(f"unknown language {language!r}: use one of {', '.join(LANGUAGES)}")
    templates = Templates(folder)
    found = [
        *(_Piece("exemplars", told.exemplar(n, one, templates)) for n, one in enumerate(exemplars, start=1)),
        *(_Piece("failures", told.failure(n, one, templates)) for n, one in enumerate(failures, start=1)),
        *([_Piece("untried", ("\n".join(f"- {one_line(each)}" for each in untried),))] if untried else []),
        *([_Piece("facts", told.facts(facts, templates))] if facts else []),
    ]
    pieces = [piece._replace(versions=tuple(dict.fromkeys(piece.versions))) for piece in found]

    def rendered(levels: list[int]) -> Prompt:
        return _rendered(task, device_name, language, templates, pieces, levels)

    if token_budget is None:
        return rendered([len(piece.versions) for piece in pieces])
    least = tokens_of(rendered([0] * len(pieces)).messages)
    if least > token_budget:
        raise ConfigError(
            f"the reference and the protocol alone take about {least} tokens, and {token_budget} are allowed: allow "
            "more, or take a model with a longer context"
        )
    steps = _steps(pieces, [one.score for one in exemplars])
    return rendered(fitting(steps, len(pieces), lambda levels: tokens_of(rendered(levels).messages) <= token_budget))


def repair(messages: Sequence[Message], reply: str, what_went_wrong: str, folder: Path | None = None) -> list[Message]:
    """The conversation goes on: the reply, and what went wrong with it (`what_went_wrong`, or the parser's word)."""
    asked = Templates(folder).fill("repair.md", problem=what_went_wrong)
    return [*messages, {"role": "assistant", "content": reply}, {"role": "user", "content": asked}]


def _steps(pieces: Sequence[_Piece], scores: Sequence[float]) -> list[int]:
    """Which piece grows next, most worth first: facts, implementations by score, techniques, what the reference ran,
    errors of failed attempts, what implementations ran, and last the failed attempts' code."""
    where: dict[str, list[int]] = {"exemplars": [], "failures": [], "untried": [], "facts": []}
    for index, piece in enumerate(pieces):
        where[piece.field].append(index)
    by_score = sorted(where["exemplars"], key=lambda index: -scores[index])
    failed = where["failures"]
    longer = [*where["facts"], *failed, *by_score, *failed]
    later = [index for index in longer if index in failed or len(pieces[index].versions) > 1]
    return [*where["facts"], *by_score, *where["untried"], *later]


def _rendered(
    task: Task,
    device_name: str,
    language: str,
    templates: Templates,
    pieces: Sequence[_Piece],
    levels: Sequence[int],
) -> Prompt:
    shown: dict[str, list[str]] = {"exemplars": [], "failures": [], "untried": [], "facts": []}
    for piece, level in zip(pieces, levels, strict=True):
        shown[piece.field] += [piece.versions[level - 1]] if level else []
    failures, untried = "\n\n".join(shown["failures"]), "\n".join(shown["untried"])
    left_out = _left_out(pieces, levels, templates)
    user = templates.fill(
        "user.md",
        name=one_line(task.name),
        device_name=one_line(device_name),
        precision="PyTorch's defaults" if task.precision == "default" else task.precision,
        mode=task.mode,
        reference=fenced(task.source),
        facts="\n".join(shown["facts"]),
        exemplars="\n\n".join(shown["exemplars"]) or templates.phrase("no_exemplars"),
        failures=failures and templates.fill("failures.md", failures=failures),
        untried=untried and templates.fill("untried.md", techniques=untried),
        left_out=templates.phrase("left_out", items="; ".join(left_out)) if left_out else "",
        languages=templates.section("languages.md", language),
    )
    system = templates.fill("system.md")
    return Prompt([{"role": "system", "content": system}, {"role": "user", "content": user}], left_out)


def _left_out(pieces: Sequence[_Piece], levels: Sequence[int], templates: Templates) -> tuple[str, ...]:
    def said(field: str, key: str, below: int) -> list[str]:
        """How many of a field's pieces are below the level, but for those that are gone altogether."""
        own = [
            (level, len(piece.versions)) for piece, level in zip(pieces, levels, strict=True) if piece.field == field
        ]
        missing = [level for level, most in own if level < min(below, most) and (level > 0 or below == 1)]
        return [templates.phrase(key, count=str(len(missing)), total=str(len(own)))] if missing else []

    return (
        *said("exemplars", "left_out_exemplars", 1),
        *said("exemplars", "left_out_exemplar_profiles", 2),
        *said("failures", "left_out_failures", 1),
        *said("failures", "left_out_failure_codes", 2),
        *said("untried", "left_out_untried", 1),
        *said("facts", "left_out_facts", 1),
        *said("facts", "left_out_reference_profile", 2),
    )
