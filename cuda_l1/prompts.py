"""The question to the model: reference, scored exemplars, generation protocol, requirements, restrictions.

A Task and the chosen exemplars go in, chat messages come out. The words live in `prompt_templates/*.md`; a folder
given by the user replaces them file by file. Layout after CUDA-L1 (arXiv 2507.14111, table 3).
Not covered: choosing the exemplars (sampling), asking (llm), reading the answer (parsing), and the model's context
length: a prompt too long for it is reported by the client.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from string import Template

from cuda_l1.errors import ConfigError
from cuda_l1.types import Evaluation, Exemplar, Interval, Status, Task

Message = dict[str, str]

_TORCH = "PyTorch operations"
_CPP = "C++ compiled by `torch.utils.cpp_extension.load_inline(name=..., cpp_sources=..., functions=[...])`"
_CUDA = "CUDA compiled by `load_inline` of `torch.utils.cpp_extension`, with `cuda_sources=...`"
_TRITON = "Triton (`import triton`, `@triton.jit`)"
LANGUAGES = {
    "any": f"{_TORCH}; {_CPP}; and on an NVIDIA GPU also {_CUDA} and {_TRITON}. Mix them freely.",
    "torch": f"{_TORCH} only.",
    "cpp": f"{_CPP}, with PyTorch operations around it.",
    "cuda": f"{_CUDA}, with PyTorch operations around it.",
    "triton": f"{_TRITON}, with PyTorch operations around it.",
}
NO_EXEMPLARS = "There are none yet: compare the reference with what the device could do at best."
MAX_LOG_CHARS = 800
"""How much of a failed build's log a prompt shows: the end, where the error stands."""


def build(
    task: Task,
    exemplars: Sequence[Exemplar],
    *,
    device_name: str,
    language: str = "any",
    folder: Path | None = None,
) -> list[Message]:
    """The system and the user message. `folder` may hold system.md, user.md and exemplar.md of the user's own."""
    if language not in LANGUAGES:
        raise ConfigError(f"unknown language {language!r}: use one of {', '.join(LANGUAGES)}")
    shown = [_exemplar(number, exemplar, folder) for number, exemplar in enumerate(exemplars, start=1)]
    user = _fill(
        "user.md",
        folder,
        name=task.name,
        device_name=device_name,
        precision="PyTorch's defaults" if task.precision == "default" else task.precision,
        mode=task.mode,
        reference=_fenced(task.source),
        exemplars="\n".join(shown) or NO_EXEMPLARS,
        languages=LANGUAGES[language],
    )
    return [{"role": "system", "content": _fill("system.md", folder)}, {"role": "user", "content": user}]


def _exemplar(number: int, exemplar: Exemplar, folder: Path | None) -> str:
    candidate, evaluation = exemplar.candidate, exemplar.evaluation
    author = f", by {candidate.author}" if candidate.author else ""
    return _fill(
        "exemplar.md",
        folder,
        number=str(number),
        score=f"{exemplar.score:.2f}",
        outcome=f"{_outcome(evaluation)} Written in {candidate.language}{author}.",
        code=_fenced(candidate.code),
    )


def _outcome(evaluation: Evaluation) -> str:
    """What the judge said, in one or two sentences."""
    if evaluation.status is not Status.PASSED:
        reasons = " ".join(f"{finding.check}: {finding.detail}" for finding in evaluation.findings)
        log = evaluation.log[-MAX_LOG_CHARS:].strip()
        return f"{evaluation.status}. {reasons}" + (f"\n{_fenced(log, 'text')}\n" if log else "")
    parts = []
    if evaluation.speedup_eager:
        parts.append(f"{_ratio(evaluation.speedup_eager)} against eager PyTorch")
    if evaluation.speedup and evaluation.speedup.vs != "eager":
        parts.append(f"{_ratio(evaluation.speedup)} against {evaluation.speedup.vs}, the best baseline")
    return f"{evaluation.status}: {', '.join(parts) or 'not timed against a baseline'}."


def _ratio(interval: Interval) -> str:
    return f"{interval.value:.2f}x (95% interval {interval.lo:.2f} to {interval.hi:.2f})"


def _fenced(code: str, language: str = "python") -> str:
    """The text in a fence longer than any that it contains."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code.strip()}\n{fence}"


def _fill(template: str, folder: Path | None, **values: str) -> str:
    path = folder / template if folder else None
    if folder and not folder.is_dir():
        raise ConfigError(
            f"prompt folder {folder} does not exist: create it, or leave it out to use the templates shipped"
        )
    if path and path.is_file():
        text, source = path.read_text(encoding="utf-8"), str(path)
    else:
        text, source = (
            (resources.files("cuda_l1") / "prompt_templates" / template).read_text(encoding="utf-8"),
            template,
        )
    try:
        return Template(text).substitute(values).strip()
    except (KeyError, ValueError) as error:
        known = ", ".join(f"${key}" for key in values) or "none"
        raise ConfigError(
            f"prompt template {source}: {error}; known fields: {known}; write $$ for a dollar sign"
        ) from None
