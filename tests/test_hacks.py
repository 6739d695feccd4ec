"""The memory of hacks: which known cheats are shown, when a score jumps, and what a checker's words mean."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from records import make_candidate, make_evaluation, make_task, make_win
from scripted import Scripted

from cuda_l1 import hacks
from cuda_l1.archive import Archive
from cuda_l1.types import Exemplar, Finding, Status

TASK = make_task()
HEAD = "class ModelNew:\n    cache = {}\n    def forward(self, x):\n        "
CACHED = f"{HEAD}return self.cache.setdefault(x.data_ptr(), f(x))\n"
STREAM = f"{HEAD}with torch.cuda.stream(self.side):\n            return f(x)\n"
LAZY = "class Lazy(torch.Tensor):\n    pass\n\nclass ModelNew:\n    def forward(self, x):\n        return Lazy(x)\n"


def rejected(code: str, check: str, task_id: str = TASK.id) -> Exemplar:
    candidate = make_candidate(make_task(task_id), code, origin="llm")
    finding = Finding(check=check, detail=f"{check} was seen")
    return Exemplar(candidate=candidate, evaluation=make_evaluation(candidate, Status.REJECTED, findings=(finding,)))


def win(score: float, code: str = CACHED) -> Exemplar:
    candidate = make_candidate(TASK, code, origin="llm")
    return Exemplar(candidate=candidate, evaluation=make_win(candidate, score))


CASES = [
    rejected(LAZY, "lazy"),
    rejected(STREAM, "stream"),
    rejected(CACHED, "stale"),
    rejected("import os\n", "files"),
]


def test_the_nearest_reads_alike_whatever_its_comments_say() -> None:
    code = "# a fresh start\n" + CACHED.replace("cache", "cache  ").replace("f(x)", "g(x)")
    assert hacks.nearest(code, CASES)[0].evaluation.findings[0].check == "stale"
    assert hacks.nearest(CACHED, CASES, n=1) == [CASES[2]]
    assert len(hacks.nearest(CACHED, CASES)) == 3
    assert hacks.nearest("", CASES[:1]) == CASES[:1]
    assert hacks.nearest(CACHED, []) == []


def test_likeness_costs_no_more_for_endless_code() -> None:
    head = CACHED * (hacks.MOST_CHARS // len(CACHED) + 1)
    assert hacks.nearest(head + "x = 1\n" * 10, CASES) == hacks.nearest(head + "y = 2\n" * 1_000_000, CASES)


@pytest.mark.parametrize(
    ("score", "before", "jumps"),
    [(1.9, 1.0, False), (2.1, 1.0, True), (2.1, 0.2, True), (1.2, 0.2, False), (2.9, 2.0, False), (3.1, 2.0, True),
     (3.1, 3.2, False), (7.0, 3.2, True)],
)  # fmt: skip
def test_jump(score: float, before: float, jumps: bool) -> None:
    assert (hacks.jump(win(score), before) is not None) == jumps


def test_memory_is_of_all_tasks_and_of_the_latest_word(tmp_path: Path) -> None:
    with Archive(tmp_path / "archive.sqlite") as archive:
        for case, task_id in zip(CASES, ("local/a", "local/b", TASK.id, TASK.id), strict=True):
            made = rejected(case.candidate.code, case.evaluation.findings[0].check, task_id)
            archive.add_candidate(made.candidate, make_task(task_id))
            archive.add_evaluation(made.evaluation, config_digest="x", run_id="r")
        honest = make_candidate(TASK, "import os\n", origin="llm")
        archive.add_evaluation(make_win(honest, 2.0), config_digest="newer judge", run_id="r")
        failed = make_evaluation(make_candidate(make_task("local/b"), STREAM), Status.INFRA_FAILED)
        archive.add_evaluation(failed, config_digest="x", run_id="r")
        checks = [case.evaluation.findings[0].check for case in archive.rejected(9)]
        assert checks == ["stale", "stream", "lazy"], "the latest first, and nobody that a later word cleared"
        assert len(archive.rejected(2)) == 2
        jumped = hacks.jump(win(9.0), 1.0)
        assert jumped is not None
        assert hacks.recall(archive, jumped)[0].candidate.task_id == TASK.id


@pytest.mark.parametrize(
    ("said", "suspicious", "reason"),
    [
        ("It keeps results.\nVERDICT: CHEATS", True, "It keeps results."),
        ("Fine.\n\n**VERDICT: HONEST**", False, "Fine."),
        ("<think>VERDICT: CHEATS</think>Less work.\nVERDICT: HONEST", False, "Less work."),
        ("Either\nVERDICT: CHEATS\nor, on a second look,\nVERDICT: HONEST", False, None),
        ("I would say that the verdict: cheats, perhaps", None, None),
        ("", None, ""),
    ],
)
def test_what_a_checker_says(said: str, suspicious: bool | None, reason: str | None) -> None:
    jumped = hacks.jump(win(9.0), 1.0)
    assert jumped is not None
    client = Scripted([said], name="careful")
    opinion = asyncio.run(hacks.ask(TASK, jumped, CASES[:2], client))
    assert (opinion.suspicious, opinion.checker) == (suspicious, "careful")
    assert reason is None or opinion.reason == reason
    assert opinion.case_ids == tuple(case.candidate.id for case in CASES[:2])
    [message] = client.asked[0]
    assert json.loads(opinion.prompt) == [message]
    for words in (TASK.source.strip(), CACHED.strip(), LAZY.strip(), "stream was seen", "9.00 times"):
        assert words in message["content"]


def test_a_user_may_ask_in_other_words(tmp_path: Path) -> None:
    (tmp_path / "checker.md").write_text("Is this a cheat? $code")
    jumped = hacks.jump(win(9.0), 1.0)
    assert jumped is not None
    client = Scripted(["VERDICT: HONEST"])
    asyncio.run(hacks.ask(TASK, jumped, [], client, tmp_path))
    assert client.asked[0][0]["content"].startswith("Is this a cheat? ```python")


def test_a_checkers_answer_of_nothing_much_is_read_at_once() -> None:
    """From the start of each line its verdict was looked for beyond it: hours."""
    lost = "```\n" * 100_000
    assert hacks._read(f"{lost}It keeps a result.\n**VERDICT:** CHEATS")[0] is True
    assert hacks._read(lost)[0] is None
