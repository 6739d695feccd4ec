"""Whose code a model's candidate is: a transform's, where a transform makes the same of this task.

A candidate that passed goes in with its Evaluation, and comes out with a note where its code is that of a transform,
comments, names, layout and what is never used aside (identity), with the forward as it was written or without. The
transforms of the task are written down for the first such candidate and not judged; it does not matter whether the run
was asked to try them.
Not covered: the same idea in other words, and a transform's code with more or less in it.
"""

from __future__ import annotations

from cuda_l1 import identity, transforms
from cuda_l1.types import SAME_AS, Candidate, Evaluation, Finding, Status, Task

MODELS = ("llm", "policy")


class Credit:
    """What the transforms make of one task on one device."""

    def __init__(self, task: Task, device: str) -> None:
        self._task, self._device = task, device
        self._known: dict[str, str] | None = None

    def noted(self, candidate: Candidate, evaluation: Evaluation) -> Evaluation:
        """The evaluation, with a note where a transform's is the same code."""
        if candidate.origin not in MODELS or evaluation.status is not Status.PASSED:
            return evaluation
        if any(note.check == SAME_AS for note in evaluation.notes):
            return evaluation
        try:
            name = self._names().get(identity.used(candidate.code, "ModelNew"))
        except RecursionError:  # an expression nested deeper than any of a transform
            return evaluation
        note = Finding(check=SAME_AS, detail=f"transform {name}")
        return evaluation if name is None else evaluation.model_copy(update={"notes": (*evaluation.notes, note)})

    def _names(self) -> dict[str, str]:
        """Code to technique, the more promising technique where two make the same."""
        if self._known is None:
            made = transforms.every(self._task, self._device)
            self._known = {identity.used(each.candidate.code, "ModelNew"): each.technique for each in reversed(made)}
        return self._known
