"""Replies of stage 1 in the three sections that the prompt asks for.

A model's own analysis and design are kept as it wrote them. Where a section is missing, and for transforms, it is
written here from what is certain: what the reference calls, what the technique is and changed, and whether the judge
found the result faster. It names no time and no measurement: whoever writes an answer has measured nothing yet.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import Literal, NamedTuple

from cuda_l1 import parsing
from cuda_l1.identity import operations
from cuda_l1.types import Evaluation, Task, Verdict

PRODUCTS = {
    "matmul",
    "mm",
    "bmm",
    "linear",
    "conv",
    "convtranspose",
    "einsum",
    "lstm",
    "gru",
    "scaleddotproductattention",
}
"""As `operations` names them."""
MOST_NAMED = 8


class Reply(NamedTuple):
    """The text, and whether the first two sections are the model's own words."""

    text: str
    sections: Literal["model", "builder"]


class Change(NamedTuple):
    """What a candidate does, in words: the technique's name, what it is, and what it changed in this module."""

    name: str
    idea: str
    detail: str


def of_transform(task: Task, change: Change, code: str, evaluation: Evaluation) -> Reply:
    """A transform's code under sections that say what it does and what came of it."""
    return Reply(_text(_analysis(task, change), _design(change, evaluation), code), "builder")


def of_model(task: Task, parsed: parsing.Parsed, evaluation: Evaluation) -> Reply:
    """A model's reply, without what stood around its sections; these are written here where a block of code in them is
    left open: the code that was judged would not be what is read in the reply."""
    for analysis, design in ((parsed.analysis, parsed.design), ("", "")):
        made = _of_model(task, parsed, analysis, design, evaluation)
        with contextlib.suppress(parsing.ParseError):
            if parsing.parse(made.text, task).code == parsed.code:
                break
    return made


def _of_model(task: Task, parsed: parsing.Parsed, analysis: str, design: str, evaluation: Evaluation) -> Reply:
    if analysis and design:
        return Reply(_text(analysis, design, parsed.code), "model")
    ran = " and ".join(evaluation.labels) or "other PyTorch operations"
    change = Change("rewriting", f"the same result by {ran}", f"forward is written in {parsed.language}")
    sections = analysis or _analysis(task, change), design or _design(change, evaluation)
    return Reply(_text(*sections, parsed.code), "builder")


def _text(analysis: str, design: str, code: str) -> str:
    fence = "```"
    while fence in code:
        fence += "`"
    return (
        f"## Performance Analysis\n{analysis.strip()}\n\n## Algorithm Design\n{design.strip()}\n\n"
        f"## Code Implementation\n{fence}python\n{code.strip()}\n{fence}"
    )


def _analysis(task: Task, change: Change) -> str:
    """The five answers that the prompt asks for, where nothing but the reference is known."""
    called = Counter(operations(task.source))
    products = sum(count for name, count in called.items() if name in PRODUCTS)
    named = ", ".join(
        f"{name} ({count} times)" if count > 1 else name for name, count in called.most_common(MOST_NAMED)
    )
    if products:
        limit = (
            f"The module has {products} matrix products, convolutions or layers of them, which cost arithmetic; "
            "every other operation reads and writes whole tensors and costs memory traffic and a launch."
        )
    else:
        limit = (
            "There is no matrix product or convolution: each operation reads and writes whole tensors and does little "
            "with each number, so memory traffic and launches are the limit."
        )
    return "\n".join((
        f"1. Only the reference is known, so it is the one to beat. It calls {named or 'only arithmetic operators'}.",
        f"2. Most promising here: {change.idea}.",
        f"3. {limit}",
        f"4. Nothing has been tried yet; {change.name} is the first to try.",
        f"5. The opportunity: {change.detail}.",
    ))  # fmt: skip


def _design(change: Change, evaluation: Evaluation) -> str:
    return (
        f"Apply {change.name}: {change.idea}. In this module: {change.detail}. The arguments, the names of parameters "
        f"and buffers and the result stay as they are. {_expectation(evaluation)}"
    )


def _expectation(evaluation: Evaluation) -> str:
    """What the judge found, as far as it may be expected of the same change elsewhere."""
    if evaluation.verdict is Verdict.FAST and evaluation.speedup is not None:
        value = evaluation.speedup.value
        gain = "slightly faster than" if value < 1.1 else f"about {value:.1f} times as fast as"
        return f"I expect it to be {gain} {evaluation.speedup.vs}."
    if evaluation.verdict is Verdict.SLOW:
        return "It is correct, but I do not expect it to be faster than the reference."
    return "I expect no large difference in speed."
