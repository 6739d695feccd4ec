"""Parts that only a model can take away: it lists a candidate's techniques, then gives the code without each of them.

One question for the list and one for each technique; every reply is in the archive before the next question, so the
same run asked again repeats none. An answer is a candidate like any other, judged and never believed; one that did not
change the code is none. So all parts but one, all, and the reference are measured, and no other subset.
NOT covered: whether what was taken away is what its name says.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
from collections.abc import Callable

from cuda_l1 import baselines, syntax
from cuda_l1.ablate.plans import Plan, Variant
from cuda_l1.ablate.switches import Part
from cuda_l1.archive import Archive
from cuda_l1.attempt import Question, keep
from cuda_l1.errors import ModelError, UsageError
from cuda_l1.llm import Client
from cuda_l1.parsing import without_reasoning
from cuda_l1.prompts.templates import Templates, fenced, one_line
from cuda_l1.types import Attempt, Candidate, Message, Task

MOST_PARTS = 6
"""Techniques asked for; a longer list is mostly names of one thing."""
_LISTED = "a list of techniques was asked for, no code"
_LINE = re.compile(
    r"^[^\S\n]*(?:[-*•]|\d+[.)])\s+\W{0,3}([\w][^:\n]{0,60}?)\W{0,3}\s*[:–—]\W{0,3}\s*(\S.*)$", re.MULTILINE
)


class Asker:
    """Questions about one candidate, and their answers in the archive under one run."""

    def __init__(self, task: Task, candidate: Candidate, client: Client, archive: Archive, run_id: str) -> None:
        self.task, self.candidate, self.client, self.archive, self.run_id = task, candidate, client, archive, run_id
        self._known = {attempt.prompt: attempt for attempt in archive.attempts(run_id)}

    def plan(self, device: str, most: int, say: Callable[[str], None]) -> Plan:
        """All parts, the reference, and all parts but one. ModelError where the model lists nothing or fails."""
        with asyncio.Runner() as runner:
            try:
                return runner.run(self._plan(device, min(most - 2, MOST_PARTS), say))
            finally:
                runner.run(self.client.aclose())

    async def _plan(self, device: str, most: int, say: Callable[[str], None]) -> Plan:
        if most < 1:
            raise UsageError(f"--most {most + 2}: all parts, none, and all but one are three subsets at least")
        parts = await self._parts(most)
        say(f"{self.client.name} lists: {', '.join(part.name for part in parts)}")
        names = frozenset(part.name for part in parts)
        (eager,), _ = baselines.build(self.task, ["eager"], device)
        variants = [Variant(names, self.candidate), Variant(frozenset(), eager)]
        for part in parts:
            say(f"asking {self.client.name} for the code without {part.name}")
            variants.append(await self._without(part, names))
        return Plan("model", parts, tuple(variants), "the reference itself")

    async def _parts(self, most: int) -> tuple[Part, ...]:
        attempt = await self._ask("ablate_list.md", {"most": str(most)})
        parts = listed(attempt.reply)[:most]
        if not parts:
            raise ModelError(
                f"{self.client.name} listed no technique in the form asked for (`- name: what it does`): "
                f"{' '.join(attempt.reply.split())[:120] or 'an empty reply'}"
            )
        return parts

    async def _without(self, part: Part, names: frozenset[str]) -> Variant:
        attempt = await self._ask("ablate_remove.md", {"technique": part.name, "note": part.note}, part)
        subset = names - {part.name}
        if attempt.candidate_id is None:
            return Variant(subset, None, f"no code to judge: {attempt.parse_error}")
        candidate = self.archive.candidate(attempt.candidate_id)
        assert candidate is not None, "an attempt's candidate is archived before the attempt"
        if same_code(candidate.code, self.candidate.code):
            return Variant(subset, None, "the model returned the same code: nothing was taken away")
        return Variant(subset, candidate)

    async def _ask(self, template: str, fields: dict[str, str], part: Part | None = None) -> Attempt:
        """One question, unless this run has its answer; what comes back is kept before it is used. With a part, its
        code without it is asked for, else the list."""
        task, code = self.task, fenced(self.candidate.code)
        filled = Templates().fill(
            template, name=one_line(task.name), reference=fenced(task.source), code=code, **fields
        )
        messages: list[Message] = [{"role": "user", "content": filled}]
        prompt = json.dumps(messages)
        if prompt in self._known:
            return self._known[prompt]
        (completion,) = await self.client.complete(messages, 1)
        policy, ids = self.client.name, (self.candidate.id,)
        if part is not None:
            author = f"{policy} without {part.name}"
            asked = Question(messages, ids, round=0)
            kept = keep(self.task, asked, completion, self.archive, run_id=self.run_id, policy=policy, author=author)
            return kept.attempt
        attempt = Attempt(
            task_id=self.task.id, prompt=prompt, reply=completion.text, policy=policy, exemplar_ids=ids, round=0,
            parse_error=_LISTED, usage=completion.usage,
        )  # fmt: skip
        self.archive.add_attempt(attempt, self.run_id)
        return attempt


def listed(reply: str) -> tuple[Part, ...]:
    """The techniques of a reply's list, each name once, in order; what is not a line of the list is passed over."""
    text = without_reasoning(reply)
    found = {name.strip(): note.strip() for name, note in reversed(_LINE.findall(text))}
    return tuple(Part(name, found[name]) for name in reversed(found))


def same_code(one: str, two: str) -> bool:
    """Whether two files differ in nothing but comments, docstrings and layout."""
    try:
        return _bare(one) == _bare(two)
    except (RecursionError, ValueError):  # nested deeper, or of more digits, than can be written out
        return one == two


def _bare(code: str) -> str:
    tree = syntax.read(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return ast.dump(tree)
