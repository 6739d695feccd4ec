"""Whose code a model's candidate is: a transform's, where a transform makes the same of this task.

A candidate that passed goes in with its Evaluation, and comes out with a note where its code is that of a transform,
comments, names, layout, what is never used and how a constant is held aside (identity), with the forward as it was
written or without. The transforms of the task are written down for the first such candidate and not judged; it does not
matter whether the run was asked to try them.
Not covered: the same idea in other words, and a transform's code with more or less in it.
"""

from __future__ import annotations

import ast

from cuda_l1 import constants, identity, syntax, transforms
from cuda_l1.types import SAME_AS, Candidate, Evaluation, Finding, Status, Task

MODELS = ("llm", "policy")


class Credit:
    """What the transforms make of one task on one device."""

    def __init__(self, task: Task, device: str) -> None:
        self._task, self._device = task, device
        self._given = constants.given(task.source)
        self._known: dict[str, str] | None = None

    def noted(self, candidate: Candidate, evaluation: Evaluation) -> Evaluation:
        """The evaluation, with a note where a transform's is the same code."""
        if candidate.origin not in MODELS or evaluation.status is not Status.PASSED:
            return evaluation
        if evaluation.note(SAME_AS):
            return evaluation
        try:
            name = self._names().get(identity.used(candidate.code, "ModelNew", self._given))
            if name is None and self._only_compiled(candidate.code):
                name = "compiled_forward"
        except (SyntaxError, ValueError, RecursionError):  # what cannot be written out is none of a transform's
            return evaluation
        note = Finding(check=SAME_AS, detail=f"transform {name}")
        return evaluation if name is None else evaluation.model_copy(update={"notes": (*evaluation.notes, note)})

    def _names(self) -> dict[str, str]:
        """Code to technique, the more promising technique where two make the same."""
        if self._known is None:
            made = transforms.every(self._task, self._device)
            self._known = {
                identity.used(each.candidate.code, "ModelNew", self._given): each.technique for each in reversed(made)
            }
        return self._known

    def _only_compiled(self, code: str) -> bool:
        """Whether it is the reference with nothing but torch.compile over functions of it."""
        bare = _Bare()
        left = ast.unparse(bare.visit(constants.last_of_each(syntax.read(code))))
        plain = identity.used(self._task.source, "Model", self._given)
        return bare.compiled and identity.used(left, "Model", self._given) == plain


class _Bare(ast.NodeTransformer):
    """`ModelNew` under the reference's name, without torch.compile as a decorator."""

    compiled = False

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("Model", node.ctx) if node.id == "ModelNew" else node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = "Model" if node.name == "ModelNew" else node.name
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        others = [each for each in node.decorator_list if not ast.unparse(each).startswith("torch.compile")]
        self.compiled = self.compiled or len(others) < len(node.decorator_list)
        node.decorator_list = others
        return self.generic_visit(node)
