"""Rounds of questions on what the archive has judged already: asking, repairing, limits, Ctrl-C, kill -9, accounts.

The judge's words on every code are in the archive beforehand, so that no session is ever entered: one that was asked
to judge would fail. `python test_rounds.py FOLDER URL` is a run of the same kind in a process that a test may kill.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from chat_server import MODEL, ChatServer, chat_server
from records import make_candidate, make_evaluation, make_task, make_win
from scripted import Scripted

from cuda_l1 import accounts, llm, report, search
from cuda_l1.archive import Archive
from cuda_l1.attempt import Settings
from cuda_l1.config import OptimizeConfig
from cuda_l1.errors import ModelError
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.replies import Completion
from cuda_l1.search.caller import Caller
from cuda_l1.search.rounds import Rounds
from cuda_l1.types import Finding, Message, Seconds, Status, Usage

TASK = make_task()
JUDGING = JudgeConfig(baselines=())
CODES = 300
WON = 1.5


def code(number: int) -> str:
    return f"class ModelNew:\n    number = {number}\n"


def is_wrong(number: int) -> bool:
    return number % 4 == 0


def reply(number: int) -> str:
    return f"## Code Implementation\n```python\n{code(number)}```\n"


def known(archive: Archive, *, jump: float = WON) -> None:
    """Each code judged: every fourth is wrong, the others win; number 7 by `jump`."""
    digest = JUDGING.digest_for(TASK)
    finding = Finding(check="error", detail="output 0: got 2, expected 1; error 1.72 in the norm (at most 0.0001)")
    for number in range(CODES):
        candidate = make_candidate(TASK, code(number), origin="llm", author=MODEL)
        wrong = make_evaluation(candidate, Status.WRONG_OUTPUT, findings=(finding,))
        win = make_win(candidate, jump if number == 7 else WON, max_error=0.0, reference_error=0.0)
        evaluation = (wrong if is_wrong(number) else win).model_copy(update={"seconds": Seconds(total=60.0)})
        archive.add_candidate(candidate, TASK)
        archive.add_evaluation(evaluation, config_digest=digest, run_id="earlier")


def settings() -> Settings:
    return Settings(2, "bucket", temperature=1.0, width=0.1, language="any", device="cpu", device_name="a CPU")


def open_run(folder: Path, archive: Archive, on_event: Callable[[search.Event], None], run_id: str | None = None,
             **config: Any) -> search.Run:  # fmt: skip
    config = {"samples": 2, "rounds": 3, "patience": 99, "out": str(folder / "runs"), "seed": 1} | config
    run = search.Run(TASK, OptimizeConfig(**config), JUDGING, archive, run_id=run_id, on_event=on_event)
    run.open()
    run.tell("resume" if run.resumed else "launch")
    return run


def carry_on(run: search.Run, client: llm.Client) -> str:
    """As search does it, on a session that cannot judge."""
    caller = Caller(lambda calls: run.tell("waiting", calls=calls))
    caller.at_end(client.aclose)
    rounds = Rounds(run, Session(TASK, JUDGING), client, caller, settings())
    try:
        with caller:
            return rounds.carry_on()
    finally:
        rounds.settle()


class Coder(ChatServer):
    """It answers each question with codes of numbers of its own, and calls every jump a cheat."""

    def say(self, number: int, index: int) -> str:
        if "VERDICT:" in self.requests[number - 1]["messages"][-1]["content"]:
            return "Line 2 keeps a number.\n\nVERDICT: CHEATS"
        return reply(3 * number + index)


class Slow(Scripted):
    """Scripted, but every answer takes a while."""

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        await asyncio.sleep(0.2)
        return await super().complete(messages, n)


class Waiting(Scripted):
    """It says that it waits, and answers once that was told."""

    def __init__(self, replies: Sequence[str]) -> None:
        super().__init__(replies)
        self.was_told = threading.Event()

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        self.notes.append("waiting for the server")
        if not await asyncio.to_thread(self.was_told.wait, 60):
            raise ModelError("nobody was told")
        return await super().complete(messages, n)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Any]:
    """Makes runs in one folder and on one archive."""
    with Archive(tmp_path / "archive.sqlite") as archive:
        known(archive, jump=9.0)

        def make(on_event: Callable[[search.Event], None] = lambda event: None, **config: Any) -> search.Run:
            return open_run(tmp_path, archive, on_event, **config)

        yield make


def events(run: search.Run, *kinds: str) -> list[search.Event]:
    told = [json.loads(line) for line in (run.folder / "events.jsonl").read_text().splitlines()]
    return [each for each in told if each["event"] in kinds]


def test_a_failure_is_answered_with_its_error_and_keeps_its_parent(start: Any) -> None:
    client = Scripted([reply(4), "I would rather not.", reply(8), reply(1)])
    run = start(rounds=1, repairs=2)
    assert carry_on(run, client) == "all rounds done"
    wrong, no_code, still_wrong, repaired = run.archive.attempts(run.run_id)
    assert (wrong.parent_id, no_code.parent_id) == (None, None)
    assert {each.round for each in (wrong, no_code, still_wrong, repaired)} == {1}
    first, second, third, *rest = client.asked
    assert not rest or len(rest) == 1
    assert second[: len(first)] == first
    assert second[len(first)] == {"role": "assistant", "content": wrong.reply}
    told = second[-1]["content"]
    assert "got 2, expected 1" in told
    assert "0.0001" not in told, "the judge's tolerances are its own"
    assert still_wrong.parent_id == wrong.id
    assert repaired.parent_id == no_code.id
    assert "no code block" in third[-1]["content"]
    assert json.loads(repaired.prompt) == third
    assert [each["repairs"] for each in events(run, "attempt")] == [None, None, 1, 2]


@pytest.mark.parametrize(("repairs", "attempts"), [(0, 1), (1, 2), (2, 3), (9, 4)])
def test_at_most_so_many_repairs_and_none_of_the_same_code_twice(start: Any, repairs: int, attempts: int) -> None:
    client = Scripted([reply(4), reply(8), reply(12), reply(4), reply(16)])
    run = start(rounds=1, samples=1, repairs=repairs)
    carry_on(run, client)
    made = run.archive.attempts(run.run_id)
    assert len(made) == attempts
    for parent, child in pairwise(made):
        assert child.parent_id == parent.id


def test_what_passes_is_not_repaired_and_an_empty_reply_neither(start: Any) -> None:
    run = start(rounds=1, repairs=3)
    assert carry_on(run, Scripted([reply(1), ""])) == "all rounds done"
    assert events(run, "repairing", "repair_failed") == []


def test_what_another_run_has_judged_took_this_one_no_time(start: Any) -> None:
    run = start(rounds=1)
    carry_on(run, Scripted([reply(1), reply(4)]))
    total = report.summary(run.archive, run.run_id)
    assert (total["counts"]["candidates"], total["judging_s"]) == (2, 0)


def test_a_repair_that_gets_no_answer_ends_nothing(start: Any) -> None:
    run = start(rounds=1, samples=1)
    assert carry_on(run, Scripted([reply(4)])) == "all rounds done"
    (failed,) = events(run, "repair_failed")
    assert "0 left" in failed["error"]


def test_that_the_client_waits_is_told_while_it_does(start: Any) -> None:
    client = Waiting([reply(1), reply(2)])

    def listen(event: search.Event) -> None:
        if event["event"] == "model_note":
            client.was_told.set()

    assert carry_on(start(listen, rounds=1), client) == "all rounds done"


@pytest.mark.parametrize("in_flight", [1, 2, 3])
def test_the_next_prompt_is_asked_before_the_replies_are_judged(start: Any, in_flight: int) -> None:
    run = start(rounds=3, samples=1, in_flight=in_flight)
    carry_on(run, Scripted([reply(1), reply(2), reply(3)]))
    told = [each["event"] for each in events(run, "asking", "candidate")]
    assert told.index("candidate") == in_flight
    assert told.count("asking") == told.count("candidate") == 3


def test_weights_in_this_process_never_run_beside_the_judge(start: Any) -> None:
    run = start(rounds=2, in_flight=4, repairs=1)
    carry_on(run, Scripted([reply(4), reply(1), reply(2), reply(3), reply(5)], name="local:weights"))
    told = [each["event"] for each in events(run, "asking", "repairing", "attempt", "candidate")]
    waiting = 0
    for each in told:
        waiting += {"asking": 2, "repairing": 1, "attempt": -1}.get(each, 0)
        assert each != "candidate" or waiting == 0
    assert told.count("candidate") == 5


def test_ctrl_c_keeps_every_reply_that_is_paid_for(start: Any) -> None:
    def press(event: search.Event) -> None:
        if event["event"] == "candidate":
            raise KeyboardInterrupt

    run = start(press, rounds=3, in_flight=2)
    with pytest.raises(KeyboardInterrupt):
        carry_on(run, Slow([reply(number) for number in range(1, 7)]))
    assert len(run.archive.attempts(run.run_id)) == len(events(run, "attempt")) == 4
    assert len(run.archive.evaluations(run.run_id)) == 1
    assert run.asked == 4
    resumed = start(run_id=run.run_id, rounds=3)
    assert carry_on(resumed, Scripted([reply(9), reply(10)])) == "all rounds done"
    assert Counter(each.round for each in run.archive.attempts(run.run_id)) == {1: 2, 2: 2, 3: 2}
    assert set(Counter(each.candidate_id for each in run.archive.evaluations(run.run_id)).values()) == {1}


def test_words_of_another_config_are_judged_anew_on_resuming(start: Any) -> None:
    run = start(rounds=1, samples=1)
    before = JUDGING.model_copy(update={"effort": "strict"}).digest_for(TASK)
    for number in (1, 2):
        candidate = make_candidate(TASK, code(number), origin="llm", author=MODEL)
        for _ in range(2):
            win = make_win(candidate, 20.0, max_error=0.0, reference_error=0.0)
            run.archive.add_evaluation(win, config_digest=before, run_id=run.run_id)
    assert report.summary(run.archive, run.run_id)["best"]["speedup"]["value"] == 20.0
    resumed = start(run_id=run.run_id, rounds=1, samples=1)
    assert (resumed.judged, resumed.best, resumed.best_score) == ({}, None, 1.0)
    assert carry_on(resumed, Scripted([reply(1)])) == "all rounds done"
    assert resumed.best is not None
    for total in (resumed.finish("done").summary, report.summary(run.archive, run.run_id)):
        assert total["counts"]["candidates"] == 1, "the other was not judged anew"
        assert total["best"]["candidate_id"] == resumed.best.candidate.id
        assert total["best"]["speedup"]["value"] == WON


def test_a_model_that_fails_ends_it_after_what_had_come_is_judged(start: Any) -> None:
    run = start(rounds=9, in_flight=3)
    with pytest.raises(ModelError, match="0 left"):
        carry_on(run, Slow([reply(1), reply(2), reply(3), reply(5)]))
    assert len(run.archive.evaluations(run.run_id)) == 4


@pytest.mark.parametrize("limit", [1, 3, 4, 7])
def test_attempts_are_never_overspent_by_rounds_or_repairs(start: Any, limit: int) -> None:
    run = start(rounds=9, in_flight=3, repairs=2, budget=f"{limit}attempts")
    ended = carry_on(run, Slow([reply(4 * number) for number in range(20)]))
    assert ended == "budget of attempts reached"
    assert len(run.archive.attempts(run.run_id)) == limit


def test_tokens_are_overspent_by_no_more_than_what_is_in_flight(start: Any) -> None:
    a_call = 11 + 2 * 7
    with chat_server(kind=Coder) as server:
        run = start(rounds=20, in_flight=2, repairs=0, budget=f"{4 * a_call}tok")
        client = llm.connect(MODEL, base_url=server.url)
        assert carry_on(run, client) == "budget of tokens reached"
    assert 4 * a_call <= run.tokens <= (4 + 2 - 1) * a_call


def test_a_budget_in_usd_is_tried_with_one_round(start: Any) -> None:
    run = start(rounds=9, in_flight=3, budget="2usd")
    with pytest.raises(ModelError, match="price of scripted is unknown"):
        carry_on(run, Scripted([reply(number) for number in range(9)]))
    assert len(run.archive.attempts(run.run_id)) == 2


def reported(server: ChatServer) -> tuple[int, int]:
    """Prompt and completion tokens that the server counted: eleven a call, seven a reply."""
    return 11 * len(server.requests), 7 * sum(body.get("n", 1) for body in server.requests)


def counted(run: search.Run) -> tuple[int, int]:
    tokens = report.summary(run.archive, run.run_id)["tokens"]
    return tokens["prompt"], tokens["completion"]


def test_every_token_is_counted_of_questions_repairs_and_checker_also_after_resuming(start: Any) -> None:
    with chat_server(kind=Coder) as server:
        asked = {"rounds": 3, "repairs": 1, "checker": MODEL, "base_url": server.url}
        stopped: list[str] = []

        def press(event: search.Event) -> None:
            if event["event"] == "candidate" and not stopped:
                stopped.append("once")
                raise KeyboardInterrupt

        run = start(press, **asked)
        with pytest.raises(KeyboardInterrupt):
            carry_on(run, llm.connect(MODEL, base_url=server.url))
        assert counted(run) == reported(server)
        resumed = start(run_id=run.run_id, **asked)
        assert resumed.tokens == sum(reported(server))
        assert carry_on(resumed, llm.connect(MODEL, base_url=server.url)) == "all rounds done"
    total = report.summary(run.archive, run.run_id)
    assert counted(run) == reported(server)
    assert sum(counted(run)) == resumed.tokens
    spent = total["spent"]
    assert all(spent[name]["replies"] > 0 for name in ("asked", "repairs", "checker")), spent
    assert sum(each["prompt_tokens"] for each in spent.values()) == total["tokens"]["prompt"]
    asked_in_all = 6 + spent["repairs"]["replies"]
    assert total["attempts"] == {"asked": asked_in_all, "parsed": asked_in_all}
    assert f"repairs {spent['repairs']['replies']} with" in accounts.sentence(total)
    run.finish("done")
    assert json.loads((run.folder / "result.json").read_text())["spent"] == spent
    assert "suspicious: Line 2 keeps a number." in (run.folder / "report.md").read_text()


def test_an_opinion_is_written_down_and_changes_nothing(start: Any) -> None:
    with chat_server(kind=Coder) as server:
        run = start(rounds=1, checker=MODEL, checker_base_url=server.url)
        carry_on(run, Scripted([reply(7), reply(1)]))
        (opinion,) = run.archive.opinions(run.run_id)
        assert (opinion.suspicious, opinion.reason) == (True, "Line 2 keeps a number.")
        assert run.best is not None
        assert run.best.candidate.id == opinion.candidate_id
        assert code(7) in json.loads(opinion.prompt)[0]["content"]
        again = start(run_id=run.run_id, rounds=1, checker=MODEL, checker_base_url=server.url)
        carry_on(again, Scripted([]))
        assert len(server.requests) == 1, "a jump is checked once"


def test_a_checker_that_is_not_there_is_said_and_no_more(start: Any) -> None:
    run = start(rounds=1, checker=MODEL, checker_base_url="http://127.0.0.1:9/v1")
    assert carry_on(run, Scripted([reply(7), reply(1)])) == "all rounds done"
    (failed,) = events(run, "checker_failed")
    assert "127.0.0.1:9" in failed["error"]
    assert run.archive.opinions(run.run_id) == []
    with chat_server(kind=Coder) as server:
        resumed = start(run_id=run.run_id, rounds=1, checker=MODEL, checker_base_url=server.url)
        carry_on(resumed, Scripted([]))
    assert len(run.archive.opinions(run.run_id)) == 1, "on resuming it is asked again"


def test_an_answer_without_a_verdict_is_no_opinion_either_way(start: Any) -> None:
    with chat_server(text="I cannot tell.") as server:
        run = start(rounds=1, checker=MODEL, checker_base_url=server.url)
        carry_on(run, Scripted([reply(7), reply(1)]))
    (opinion,) = run.archive.opinions(run.run_id)
    assert (opinion.suspicious, opinion.reason) == (None, "I cannot tell.")
    assert opinion.usage == Usage(prompt_tokens=11, completion_tokens=7)


@pytest.mark.slow
def test_kill_9_then_resume_asks_and_judges_nothing_twice(tmp_path: Path) -> None:
    with Archive(tmp_path / "archive.sqlite") as archive, chat_server("slow", kind=Coder) as server:
        known(archive)
        process = subprocess.Popen([sys.executable, __file__, str(tmp_path), server.url], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        assert process.stdout is not None
        seen = Counter[str]()
        for line in process.stdout:
            seen[line.strip()] += 1
            if seen["repairing"] >= 1 and seen["candidate"] >= 4:
                break
        else:
            pytest.fail(f"it ended before it could be killed: {seen}")
        process.kill()
        process.communicate()
        [run_id] = {each.id for each in archive.runs()}
        before = archive.attempts(run_id)
        assert before
        while server.busy:  # what was in flight is answered into the void
            time.sleep(0.01)
        lost = len(server.requests) - calls(before)
        run = open_run(tmp_path, archive, lambda event: None, run_id=run_id, rounds=6)
        assert carry_on(run, llm.connect(MODEL, base_url=server.url)) == "all rounds done"
    made = archive.attempts(run_id)
    assert made[: len(before)] == before
    first = Counter(each.round for each in made if each.parent_id is None)
    assert first == dict.fromkeys(range(1, 7), 2), "every round asked, none twice"
    assert max(Counter(each.candidate_id for each in archive.evaluations(run_id)).values()) == 1
    failed = {each.id for each in made if is_wrong(number_of(each.reply))}
    answered = Counter(each.parent_id for each in made if each.parent_id is not None)
    assert set(answered.values()) == {1}
    assert {each.id for each in made if each.parent_id is None} & failed <= set(answered)
    assert 0 <= lost <= 4, "two rounds and their repairs"
    assert calls(made) + lost == len(server.requests)
    tokens = sum(each.usage.prompt_tokens + each.usage.completion_tokens for each in made)
    assert tokens == run.tokens == 11 * calls(made) + 7 * len(made)


def calls(made: Sequence[Any]) -> int:
    """Each prompt of this server's conversations was sent once."""
    return len({(each.round, each.parent_id) for each in made})


def number_of(text: str) -> int:
    return int(text.partition("number = ")[2].split()[0])


def main(folder: Path, url: str) -> None:
    def on_event(event: search.Event) -> None:
        print(event["event"], flush=True)
        if event["event"] == "candidate":
            time.sleep(0.05)  # a judge takes its time

    with Archive(folder / "archive.sqlite") as archive:
        run = open_run(folder, archive, on_event, rounds=6)
        carry_on(run, llm.connect(MODEL, base_url=url))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
