"""The search on a real judge with replies given beforehand: what is asked, kept, judged, resumed, and when it ends."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from failing import FAILS
from records import make_evaluation, make_win
from scripted import Scripted

from cuda_l1 import search
from cuda_l1.archive import Archive
from cuda_l1.cli.optimize import exit_code
from cuda_l1.config import OptimizeConfig
from cuda_l1.errors import CannotJudgeError, ConfigError, CudaL1Error, ModelError, TaskError, UsageError
from cuda_l1.judge import JudgeConfig
from cuda_l1.types import Candidate, Exemplar, Finding, Status, Task, Verdict

SOURCE = """
import torch


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(width))

    def forward(self, x):
        unused = x
        for _ in range(20):
            unused = torch.special.i0e(unused)
        return x * self.scale


def get_inputs():
    return [torch.randn(12, 256)]


def get_init_inputs():
    return [256]
"""
SAME = SOURCE.replace("class Model(", "class ModelNew(")
FAST = SAME.replace("range(20)", "range(8)")
"""By less than what the judge judges again as a record."""
WRONG = FAST.replace("x * self.scale", "x * self.scale + 1")
JUDGING = JudgeConfig(effort="glance", baselines=())


def task(source: str = SOURCE) -> Task:
    return Task(id="local/waste", name="Wasted Work!", source=source)


def reply(code: str) -> str:
    return f"## Performance Analysis\nIt works in vain.\n\n## Code Implementation\n```python\n{code}\n```\n"


@pytest.fixture
def start(tmp_path: Path) -> Any:
    """Makes runs that share a folder and an archive."""
    with Archive(tmp_path / "archive.sqlite") as archive:

        def make(on_event: Callable[[search.Event], None] = print, run_id: str | None = None, source: str = SOURCE,
                 **settings: Any) -> search.Run:  # fmt: skip
            settings = {"out": str(tmp_path / "runs"), "transforms": "none", "samples": 2} | settings
            settings = {"repairs": 0, "in_flight": 1} | settings
            config = OptimizeConfig(**settings)
            return search.Run(task(source), config, JUDGING, archive, run_id=run_id, on_event=on_event)

        yield make


def events(run: search.Run) -> list[search.Event]:
    return [json.loads(line) for line in (run.folder / "events.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_rounds_contrast_what_was_judged_before_and_judge_no_twin(start: Any) -> None:
    no = "I would rather not."
    client = Scripted([reply(WRONG), reply(SAME), no, reply(FAST), reply(SAME), reply(FAST), "", ""])
    run = start(rounds=9, patience=2)
    result = search.optimize(run, client)

    assert (result.ended, result.error) == ("plateau: 2 rounds without a better best", None)
    assert result.best is not None
    assert result.best.evaluation.verdict is Verdict.FAST
    assert (result.best.candidate.origin, result.best.candidate.author) == ("llm", "scripted")
    first, second, third, _ = (messages[1]["content"] for messages in client.asked)
    exemplars, _, failures = second.partition("# Failed attempts")
    assert "self.scale + 1" not in exemplars, "what failed is no exemplar"
    assert "self.scale + 1" in failures
    assert SAME.strip() not in first
    assert SAME.strip() in second
    assert FAST.strip() in third
    attempts = run.archive.attempts(run.run_id)
    assert [each.candidate_id is None for each in attempts] == [False, False, True, False, False, False, True, True]
    assert "no code block" in attempts[2].parse_error
    assert json.loads(attempts[3].prompt) == client.asked[1]
    words = list(run.archive.evaluations(run.run_id))
    judged = Counter(each.candidate_id for each in words)
    assert sorted(judged.values()) == [1, 1, 2], "three codes in six replies, and the best once more"
    seeds = {each.seed for each in words}
    assert len(seeds) == 2, "the first words of a session are on the same inputs, and the second one is not"
    assert [e["number"] for e in events(run) if e["event"] == "attempt"] == [1, 2, 3, 4, 5, 6, 7, 8]

    other = start(rounds=1, samples=1)
    again = search.optimize(other, Scripted([reply(FAST)]))  # another run, the same archive: nothing is judged anew
    assert again.best is not None
    assert [e["reused"] for e in events(other) if e["event"] == "candidate"] == [True]
    assert [e["best"] for e in events(other) if e["event"] == "confirmation"] == [True]


LUCKY = (
    SAME.replace("range(20)", "range(1)")
    .replace(
        "        unused = x\n",
        "        unused = x\n        for _ in range(40 if self.later else 0):\n"
        "            unused = torch.special.i0e(unused)\n",
    )
    .replace(
        "        super().__init__()\n",
        "        super().__init__()\n        import os\n"
        "        self.later = os.path.exists(MARK)\n        open(MARK, 'w').close()\n",
    )
)


@pytest.mark.slow
def test_a_win_that_does_not_repeat_is_no_win(start: Any, tmp_path: Path) -> None:
    """Fast in its first process only, by a file that the sandbox would have kept from it: so fast that the judge
    looks twice."""
    code = LUCKY.replace("MARK", repr(str(tmp_path / "mark")))
    run = start(rounds=1, samples=1)
    run.judge_config = JUDGING.model_copy(update={"sandbox": "none"})
    result = search.optimize(run, Scripted([reply(code)]))
    (judged,) = (e for e in events(run) if e["event"] == "candidate")
    assert judged["verdict"] != "FAST"
    assert {"repeated", "not_repeated"} & {note["check"] for note in judged["notes"]}
    assert result.best is None
    assert result.summary["outcome"] == "no win"
    assert not (run.folder / "best.py").exists()


@pytest.mark.slow
@pytest.mark.parametrize("resumed", [False, True])
def test_what_a_crowded_machine_could_not_tell_is_judged_again(start: Any, resumed: bool) -> None:
    run = start(rounds=1, samples=1)
    candidate = Candidate(task_id="local/waste", code=f"{SAME.strip()}\n", origin="llm", author="earlier")
    run.archive.add_candidate(candidate, run.task)
    note = Finding(check="crowded", detail="other programs had 1.5 of 2 CPU cores")
    crowded = make_evaluation(candidate, verdict=Verdict.AMBIGUOUS, notes=(note,))
    name = run.run_id if resumed else "earlier"
    run.archive.add_evaluation(crowded, config_digest=run.config_digest, run_id=name)
    search.optimize(run, Scripted([reply(SAME)]))
    assert [e["reused"] for e in events(run) if e["event"] == "candidate"] == [False]
    assert run.archive.evaluation(candidate.id, run.config_digest) != crowded


FAILS_THE_JUDGE = FAILS + FAST.replace(
    "        unused = x\n", "        if os.path.exists(MARK):\n            end_eager()\n        unused = x\n"
)


@pytest.mark.slow
def test_a_win_that_we_fail_to_confirm_is_not_judged_until_resumed(start: Any, tmp_path: Path) -> None:
    """Its first word is in the archive; its second is that what it is timed beside ended: our failure."""
    mark = tmp_path / "mark"
    mark.touch()
    code = FAILS_THE_JUDGE.replace("MARK", repr(str(mark)))
    run = start(rounds=1, samples=1)
    run.judge_config = JUDGING.model_copy(update={"sandbox": "none"})
    candidate = Candidate(task_id="local/waste", code=f"{code.strip()}\n", origin="llm", author="earlier")
    run.archive.add_candidate(candidate, run.task)
    win = make_win(candidate, 2.0, max_error=0.0, reference_error=0.0)
    run.archive.add_evaluation(win, config_digest=run.config_digest, run_id="earlier")
    result = search.optimize(run, Scripted([reply(code)]))
    words = [each.status for each in run.archive.evaluations(run.run_id)]
    assert words == [Status.PASSED, Status.INFRA_FAILED]
    assert (result.best, result.error) == (None, None)
    assert not (run.folder / "best.py").exists()
    assert result.summary["outcome"] == "not judged"
    assert exit_code(result) == 3

    mark.unlink()
    resumed = start(run_id=run.run_id, rounds=1, samples=1)
    resumed.judge_config = run.judge_config
    result = search.optimize(resumed, Scripted([]))
    *_, again = words = run.archive.evaluations(run.run_id)
    assert [each.status for each in words[2:]] == [Status.PASSED], "only the word that was missing"
    assert (run.folder / "best.py").is_file() == (result.best is not None) == again.is_win
    assert (result.summary["outcome"], exit_code(result)) == (("win", 0) if again.is_win else ("no win", 1))


@pytest.mark.parametrize(("error", "code"), [(CannotJudgeError("died"), 3), (ModelError("away"), 0), (None, 0)])
def test_a_failure_of_ours_is_told_though_there_is_a_best(tmp_path: Path, error: CudaL1Error | None, code: int) -> None:
    """A model that fails leaves the best to be confirmed, a judge that fails does not."""
    candidate = Candidate(task_id="local/waste", code=FAST, origin="llm")
    best = Exemplar(candidate=candidate, evaluation=make_win(candidate, 2.0))
    assert exit_code(search.Result("run", tmp_path, {"outcome": "win"}, best, "", error=error)) == code


@pytest.mark.slow
def test_interrupted_while_judging_loses_no_reply_and_no_best(start: Any) -> None:
    def press_ctrl_c(event: search.Event) -> None:
        if event["event"] == "judging" and event["candidate_id"] == wrong_id:
            raise KeyboardInterrupt

    wrong_id = Candidate(task_id="local/waste", code=f"{WRONG.strip()}\n", origin="llm").id
    run = start(press_ctrl_c, rounds=1)
    result = search.optimize(run, Scripted([reply(FAST), reply(WRONG)]))
    assert result.interrupted
    assert result.best is not None
    assert (run.folder / "best.py").is_file()
    assert len(run.archive.attempts(run.run_id)) == 2, "both were paid for"
    assert len(run.archive.evaluations(run.run_id)) == 1

    resumed = start(run_id=run.run_id, rounds=1)
    ended = search.optimize(resumed, Scripted([]))  # it has nothing to say, so asking again would fail
    assert (ended.error, ended.ended) == (None, "all rounds done")
    assert ended.best is not None
    assert ended.best.candidate.id == result.best.candidate.id
    judged = Counter(each.candidate_id for each in run.archive.evaluations(run.run_id))
    assert judged == {wrong_id: 1, result.best.candidate.id: 2}
    assert [e["event"] for e in events(run) if e["event"] in ("launch", "resume", "done")] == [
        "launch", "done", "resume", "done",
    ]  # fmt: skip


def test_a_run_that_another_process_is_at_work_on_is_left_alone(start: Any) -> None:
    run = start()
    with run.alone(), pytest.raises(UsageError, match="is in use by another optimize: wait for it"):
        search.optimize(start(run_id=run.run_id), None)
    assert not (run.folder / "events.jsonl").exists()


@pytest.mark.slow
def test_a_model_that_fails_leaves_what_was_found_in_a_file_that_stands_alone(start: Any) -> None:
    run = start(rounds=9, samples=1)
    result = search.optimize(run, Scripted([reply(FAST)]))
    assert isinstance(result.error, ModelError)
    assert events(run)[-1]["event"] == "done"
    assert result.best is not None
    best = run.folder / "best.py"
    (run.folder / "reference.py").write_text(SOURCE)
    check = (
        "import sys; sys.modules['cuda_l1'] = None\n"
        "import torch, best, reference\n"
        "a, b = reference.Model(256), best.ModelNew(256)\n"
        "b.load_state_dict(a.state_dict())\n"
        "(x,) = reference.get_inputs()\n"
        "torch.testing.assert_close(b(x), a(x), rtol=1e-5, atol=1e-5)\n"
    )
    done = subprocess.run([sys.executable, "-c", check], cwd=run.folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    header = best.read_text().partition("\nimport torch")[0]
    for words in (result.best.candidate.id, "local/waste", "against eager", "torch 2", "seed"):
        assert words in header
    assert header.count("against eager") == 1
    assert run.folder.name.split("-")[2:4] == ["Wasted", "Work"]
    assert json.loads((run.folder / "result.json").read_text())["outcome"] == "win"


def test_attempts_budget_is_never_overspent(start: Any) -> None:
    run = start(rounds=9, patience=9, samples=2, budget="3attempts")
    result = search.optimize(run, Scripted(["no"] * 9))
    assert (result.ended, exit_code(result)) == ("budget of attempts reached", 4)
    assert len(run.archive.attempts(run.run_id)) == 3
    raised = start(run_id=run.run_id, rounds=9, patience=9, samples=2, budget="4attempts")
    search.optimize(raised, Scripted(["no"] * 9))
    assert len(run.archive.attempts(run.run_id)) == 4


def test_preview_is_what_is_then_asked_and_leaves_no_trace(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))  # where nobody else measures ceilings once more
    run = start(rounds=2, samples=1, repairs=1, seed=3, model="toy-model", max_tokens=100)
    shown = search.preview(run)
    assert not (tmp_path / "runs").exists()
    assert run.archive.runs() == []
    assert (shown["samples"], shown["rounds"]) == (1, 2)
    assert shown["all"]["completion_tokens"] == 2 * 2 * 100, "every reply as long as it may be, and every repair"
    assert shown["all"]["prompt_tokens"] > 2 * 2 * shown["round"]["prompt_tokens"] > 0
    client = Scripted(["no"])
    search.optimize(start(rounds=1, samples=1, seed=3), client)
    assert timeless(client.asked[0]) == timeless(shown["messages"])


def timeless(messages: Any) -> list[str]:
    """Without what each start of the judge measures anew of the reference: how long its kernels take, and so which of
    them are too short to be named."""
    return [re.sub(r"\nWhat one profiled call .*\n(- .*\n)+", "", message["content"]) for message in messages]


def test_budget_in_usd_needs_a_price(start: Any) -> None:
    run = start(rounds=9, budget="2usd")
    result = search.optimize(run, Scripted(["no"] * 9))
    assert isinstance(result.error, ModelError)
    assert "price of scripted is unknown" in str(result.error)
    assert len(run.archive.attempts(run.run_id)) == 2, "the first round tells"


def test_time_budget_counts_earlier_starts(start: Any) -> None:
    run = start(rounds=1)
    search.optimize(run, Scripted(["no", "no"]))
    earlier = {"event": "launch", "time": "2026-01-01T00:00:00+00:00"}
    later = {"event": "done", "time": "2026-01-01T00:30:00+00:00"}
    with open(run.folder / "events.jsonl", "a") as file:
        file.write(f"{json.dumps(earlier)}\n{json.dumps(later)}\n")
    result = search.optimize(start(run_id=run.run_id, rounds=2, budget="20min"), Scripted([]))
    assert (result.error, result.ended, exit_code(result)) == (None, "budget of time reached", 4)
    assert 1800 < result.summary["duration_s"] < 3600, "all sittings, and not what lies between them"


def test_degenerate_task_has_no_win_and_asks_nobody(start: Any) -> None:
    source = SOURCE.replace("x * self.scale", "x * 0")
    run = start(source=source, rounds=1)
    client = Scripted([])
    result = search.optimize(run, client)
    assert (result.best, result.ended) == (None, "the task is degenerate")
    assert client.asked == []
    assert not (run.folder / "best.py").exists()


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"source": SOURCE.replace("torch.randn(12, 256)", "torch.randn(120, width)")}, TaskError),
        ({"transforms": "matmul_sum_to_matvek"}, ConfigError),
    ],
)
def test_what_cannot_start_leaves_no_run(start: Any, tmp_path: Path, fields: dict[str, str], error: type) -> None:
    run = start(**fields)
    with pytest.raises(error):
        search.optimize(run, None)
    assert not (tmp_path / "runs").exists()
    assert run.archive.runs() == []


@pytest.mark.parametrize("name", ["m without a\rprint('not judged')#", "my-coding:7b", "a\nb", "half\ud800", ""])
@pytest.mark.parametrize("code", [FAST, "\ufeff" + FAST])
def test_the_best_is_what_was_judged_whatever_it_and_its_author_are_called(name: str, code: str) -> None:
    """A model that names a candidate's parts, and a file of the task's, have chosen such names."""
    named = Task(id="local/waste", name=name, source=SOURCE)
    candidate = Candidate(task_id=named.id, code=code, origin="llm", author=name)
    won = make_win(candidate, 2.0, max_error=1e-6, reference_error=1e-6)
    written = search.standalone(named, Exemplar(candidate=candidate, evaluation=won), 2).encode()
    assert ast.dump(ast.parse(written)) == ast.dump(ast.parse(FAST))


def test_a_best_that_nothing_has_confirmed_says_so(start: Any) -> None:
    """What kill -9 leaves is the first word on the luckiest of many."""
    run = start()
    run.open()
    candidate = Candidate(task_id=run.task.id, code=FAST, origin="llm", author="m")
    won = make_win(candidate, 2.0, max_error=1e-6, reference_error=1e-6)
    run.keep(candidate, won, reused=False)
    assert "\n# Judged once so far: " in (run.folder / "best.py").read_text()
    run.confirm(SimpleNamespace(evaluate=lambda candidate, won: won))
    assert "Judged once" not in (run.folder / "best.py").read_text()
