"""Races on real processes: verdicts, second starts, and whom candidates meet."""

from __future__ import annotations

import itertools
import math
import os
import signal
import statistics
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from linear import LINEAR, certain, forward, rewrite, task

from cuda_l1.correctness import edges, preparation, verify
from cuda_l1.correctness.contender import Contender, close
from cuda_l1.judge import JudgeConfig, Session, trial
from cuda_l1.machine import environment
from cuda_l1.processes import process
from cuda_l1.processes.process import WorkerProcess
from cuda_l1.timing import race, turns, whole
from cuda_l1.types import Candidate, Status, Task, Verdict
from cuda_l1.wire.link import RefusalError


def test_reference_as_candidate_passes(session: Session) -> None:
    evaluation = session.evaluate(rewrite())
    assert evaluation.status is Status.PASSED
    assert evaluation.verdict is not Verdict.FAST
    assert evaluation.speedup is not None
    assert evaluation.speedup.vs == "eager"
    assert evaluation.speedup.lo <= evaluation.speedup.value <= evaluation.speedup.hi
    assert evaluation.max_error == pytest.approx(evaluation.reference_error)
    assert evaluation.baselines_us.keys() == {"eager"}
    assert evaluation.environment.threads >= 1


def test_slower_candidate_is_slow(session: Session) -> None:
    evaluation = certain(session, forward("for _ in range(40):\n    y = torch.relu(self.fc(x))\nreturn y"))
    assert (evaluation.status, evaluation.verdict) == (Status.PASSED, Verdict.SLOW)
    assert evaluation.speedup is not None
    assert evaluation.speedup.hi < 0.5


def test_a_close_word_is_asked_of_a_second_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_CLOSE", {"cpu": 1e6})
    begin, begun = Session._start_again, []

    def counted(*given: Any) -> turns.Start:
        begun.append(begin(*given))
        return begun[-1]

    monkeypatch.setattr(Session, "_start_again", counted)
    with Session(task(), JudgeConfig(effort="quick", baselines=())) as judging:
        evaluation = certain(judging, forward("for _ in range(40):\n    y = torch.relu(self.fc(x))\nreturn y"))
    assert (evaluation.status, evaluation.verdict) == (Status.PASSED, Verdict.SLOW)
    assert len(begun) == 1
    assert len(evaluation.times_us) > len(begun[0].calls_us) > 0


def test_every_word_on_a_candidate_is_beside_another_process_of_eager(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or an eager that is slow by luck of its memory would be so for every word on a win."""
    met: list[int] = []

    class Seen(race.Race):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            met.append(self.eager.side.process.process.pid)

    monkeypatch.setattr(race, "Race", Seen)
    for _ in range(2):
        assert session.evaluate(forward("y = self.fc(x)\nreturn torch.relu(y)")).status is Status.PASSED
    assert len(set(met)) == 2


def test_all_sides_are_given_other_weights_in_each_race(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or what was folded once would be right for as long as anyone looks."""
    change, had = race.Race._change_weights, list[set[int]]()

    def seen(racing: race.Race) -> None:
        before = {side.loaded for side in racing.sides}
        change(racing)
        had.append(before | {side.loaded + 10 for side in racing.sides})

    monkeypatch.setattr(race.Race, "_change_weights", seen)
    for _ in range(4):
        assert session.evaluate(forward("y = self.fc(x)\nreturn torch.relu(y)")).status is Status.PASSED
    assert len(had) >= 4
    assert all(each in ({0, 11}, {1, 10}) for each in had)
    assert {0, 11} in had
    assert {1, 10} in had, "eager begins its next race with the weights that it has"


def test_an_output_is_wrong_on_other_values_only_by_the_word_of_float64(session: Session) -> None:
    reference = session.reference

    def is_excused(*asked: Any) -> bool:
        return edges.held_against(*asked, edges.Held(0, "")) is None

    row, [own] = reference.sets[0].inputs.clone().view(torch.uint8), reference.sets[0].expected
    eager, wrong = own.float(), own.float() * 1.1
    assert is_excused(reference, row, [eager], [eager], 0, "cubed")
    assert not is_excused(reference, row, [wrong], [eager], 0, "cubed")
    assert is_excused(reference, row, [wrong], [wrong], 0, "cubed"), "eager itself is off there"
    assert is_excused(reference, row, [wrong], [eager], 1, "cubed"), "eager's answer is not that of these weights"
    assert torch.equal(reference.verify_arena.rows[0], reference.sets[0].inputs)


def test_opponents_that_died_are_replaced_for_the_next_candidate() -> None:
    rival = rewrite().model_copy(update={"origin": "baseline", "author": "graph"})
    with Session(task(), JudgeConfig(effort="glance", baselines=())) as judging:
        opponents = judging._opponents
        opponents.oppose(rival, [])
        for candidate in (rewrite(), forward("y = self.fc(x)\nreturn torch.relu(y)")):
            evaluation = judging.evaluate(candidate)
            assert evaluation.status is Status.PASSED
            assert evaluation.baselines_us.keys() == {"eager", "graph"}
            for contender in (*opponents._eagers, *opponents._rivals):
                os.kill(contender.process.process.pid, signal.SIGKILL)
                contender.process.process.wait(10)
        opponents.prepare(rewrite(), 1)
        eager, *_ = opponents._eagers
        eager.process._is_late = True  # what it says next is the answer to what was asked before
        opponents.prepare(rewrite(), 1)
        assert eager not in opponents._eagers


def test_an_opponent_that_died_in_a_race_costs_that_candidate_its_word_and_no_other() -> None:
    def die(name: str, stage: str) -> None:
        if stage == "time" and name == "unlucky":
            for eager in judging._opponents._eagers:
                if eager.process.process.poll() is None:
                    os.kill(eager.process.process.pid, signal.SIGKILL)
                    eager.process.process.wait(10)

    with Session(task(), JudgeConfig(effort="glance", baselines=())) as judging:
        judging.on_stage = die
        unlucky = judging.evaluate(rewrite().model_copy(update={"author": "unlucky"}))
        assert (unlucky.status, unlucky.findings[0].check) == (Status.INFRA_FAILED, "judge")
        assert "what it is timed beside failed" in unlucky.findings[0].detail
        assert judging.evaluate(rewrite()).status is Status.PASSED


def test_who_is_killed_while_the_machine_has_no_memory_is_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test fills a machine's memory: the kernel's counter is set forward instead."""
    ended = forward("import os\nos.kill(os.getpid(), 9)")
    stages: list[str] = []
    with Session(task(), JudgeConfig(effort="glance", baselines=())) as judging:
        judging.on_stage = lambda name, stage: stages.append(stage)
        alone = judging.evaluate(ended)
        assert alone.status is Status.CRASHED
        assert process.STARVED not in alone.findings[0].detail
        once = len(stages)
        monkeypatch.setattr(environment, "oom_kills", itertools.count().__next__)
        beside = judging.evaluate(ended)
        assert beside.status is Status.CRASHED
        assert process.STARVED in beside.findings[0].detail
        assert len(stages) == 3 * once


def test_who_finds_no_room_for_the_rival_meets_it_through_eager_and_is_told() -> None:
    rival = rewrite().model_copy(update={"origin": "baseline", "author": "graph"})
    with Session(task(), JudgeConfig(effort="glance", baselines=("eager",))) as judging:
        judging.baselines()
        judging._medians["graph"] = 5.0
        judging._opponents.oppose(rival, [])
        assert judging.evaluate(rewrite()).baselines_us["graph"] != 5.0, "it raced"
        (raced,) = judging._opponents._rivals
        judging._opponents.drop_rival()
        assert raced.process.process.wait(10) is not None
        evaluation = judging.evaluate(rewrite())
        assert (evaluation.status, judging.best_baseline) == (Status.PASSED, "eager")
        assert evaluation.baselines_us["graph"] == 5.0
        assert [note.detail for note in evaluation.notes if note.check == "room"] == [
            "too large to leave nothing out: the best baseline is compared through eager"
        ]


def test_where_eager_finds_no_memory_beside_a_candidate_the_next_one_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a GPU beside code that takes more than the task's own: here eager says so once, in its first block."""
    begun, once = tmp_path / "begun", tmp_path / "once"

    def blocks(self: race.Race, *asked: Any, blocks: Callable[..., Any] = race.Race._blocks) -> Any:
        begun.touch()
        return blocks(self, *asked)

    monkeypatch.setattr(race.Race, "_blocks", blocks)
    source = task().source.replace(
        "return torch.relu(self.fc(x))",
        f"""exists = __import__("os").path.exists
        if exists({str(begun)!r}) and not exists({str(once)!r}):
            open({str(once)!r}, "w").close()
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 8.00 GiB.")
        return torch.relu(self.fc(x))""",
    )
    forgetful = Task(id="local/forgetful", name="forgetful", source=source)
    candidate = rewrite().model_copy(update={"task_id": forgetful.id})
    with Session(forgetful, JudgeConfig(effort="glance", baselines=())) as judging:
        first = judging.evaluate(candidate)
        assert first.status is Status.INFRA_FAILED
        assert "what it is timed beside failed" in first.findings[0].detail
        assert judging.evaluate(candidate).status is Status.PASSED


def test_what_the_reference_cannot_be_asked_is_no_fault_of_a_candidate(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asks(self: Contender) -> verify.Errors:
        self.reference.process.request("examine", 10, what="nothing of the kind", arena="verify", slot=0)
        return verify.EXACT

    def has_no_memory(*_: object, **__: object) -> bool:
        raise RefusalError("forward", "OutOfMemoryError: CUDA out of memory")

    with monkeypatch.context() as patched:
        patched.setattr(Contender, "check", asks)
        evaluation = session.evaluate(rewrite())
    assert (evaluation.status, evaluation.findings[0].check) == (Status.INFRA_FAILED, "judge")
    monkeypatch.setattr(preparation, "drop_refused", has_no_memory)
    late = forward("self.calls = getattr(self, 'calls', 0) + 1\nassert self.calls < 400\nreturn torch.relu(self.fc(x))")
    evaluation = session.evaluate(late)
    assert (evaluation.status, evaluation.findings[0].check) == (Status.CRASHED, "forward")
    assert evaluation.seconds.time > 0


def test_a_reference_that_raises_on_some_draws_of_a_distribution_is_no_longer_asked_for_those() -> None:
    source = LINEAR.replace("torch.randn(32, 64)", "torch.rand(32, 64)").replace(
        "        return torch.relu(self.fc(x))",
        "        if float(x[0, 0]) < -0.8:\n            raise ValueError('below its domain')\n"
        "        return torch.relu(self.fc(x))",
    )
    with Session(task(source), JudgeConfig(effort="glance", baselines=())) as judging:
        kinds = set(judging.reference.other_bounds)
        often = kinds & {"signs", "negated"}  # of what negates a few alone one draw of a hundred raises
        words = []
        while len(words) < (40 if often else 4) and set(judging.reference.other_bounds) == kinds:
            words.append(judging.evaluate(rewrite(source=source)))
        left = set(judging.reference.other_bounds)
    assert {word.status for word in words} <= {Status.PASSED}, words
    assert left < kinds or not often


def test_a_task_that_returns_its_weights_is_judged() -> None:
    source = LINEAR.replace("return torch.relu(self.fc(x))", "return torch.relu(self.fc(x)), self.fc.weight")
    with Session(task(source), JudgeConfig(effort="glance", baselines=())) as judging:
        word = judging.evaluate(rewrite(source=source))
    assert word.status is Status.PASSED, word.findings
    assert "lent_output" not in [note.check for note in word.notes]


def test_a_reference_that_works_in_place_is_raced_as_it_is() -> None:
    source = task().source.replace("return torch.relu(self.fc(x))", "return x.mul_(2)")
    in_place = Task(id="local/in_place", name="in_place", source=source)
    code = source.replace("class Model(", "class ModelNew(")
    same = Candidate(task_id=in_place.id, code=code, origin="human", author="test")
    other = Candidate(task_id=in_place.id, code=code.replace("x.mul_(2)", "x.add_(x)"), origin="human", author="test")
    with Session(in_place, JudgeConfig(effort="glance", baselines=())) as judging:
        assert [judging.evaluate(each).status for each in (same, other)] == [Status.PASSED, Status.PASSED]


def test_a_process_that_runs_while_it_is_stopped_is_rejected(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a signal of its own making could: here somebody else wakes it as soon as it is stopped."""
    stop = WorkerProcess.stop

    def woken(process: WorkerProcess) -> None:
        stop(process)
        if b"spins" in Path(process.scratch, "candidate.py").read_bytes():
            os.killpg(process.process.pid, signal.SIGCONT)

    monkeypatch.setattr(WorkerProcess, "stop", woken)
    body = """
        import threading
        def run():
            spins = 0
            while True:
                spins += 1
        if not hasattr(self, "thread"):
            self.thread = threading.Thread(target=run, daemon=True)
            self.thread.start()
        return torch.relu(self.fc(x))"""
    evaluation = session.evaluate(forward(textwrap.dedent(body).strip()))
    assert evaluation.findings[0].check == "ran_while_stopped"


def test_what_eager_was_slower_by_beside_a_way_is_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a GPU is left at work for the turns of the others, too little to be seen at once."""
    monkeypatch.setattr(trial, "_SLOWED", 100.0)
    run, check_later, kept = trial.Trial.run, trial.Trial.check_later, list[turns.Start]()

    class EnoughError(Exception):
        pass

    def keeps(*given: Any) -> turns.Start:
        kept.append(run(*given))
        return kept[-1]

    def asked(judged: trial.Trial) -> None:
        check_later(judged)
        [start] = kept
        slowed = start._replace(eager_us=[3 * us for us in start.eager_us], doubt_us=0.0)  # others may have run then
        faster = start._replace(eager_us=[us / 3 for us in start.candidate_us])
        assert judged.check_eager([slowed], math.inf) == [slowed], "no way: nothing but a wreck is asked about"
        judged.may_linger = True
        assert judged.check_eager([faster], math.inf) == [faster], "no win"
        process = judged.contenders[0].process.process
        assert process.poll() is None, "it is ended for a win alone"
        [told] = judged.check_eager([slowed], math.inf)
        assert told.doubt_us > 0.5 * statistics.median(start.candidate_us)
        assert told.whole_us == pytest.approx([us + told.doubt_us for us in slowed.whole_us]), "nor is it paid for"
        assert told._replace(doubt_us=0.0, whole_us=[]) == slowed._replace(doubt_us=0.0, whole_us=[])
        assert process.poll() is not None
        raise EnoughError

    with Session(task(), JudgeConfig(effort="glance", baselines=(), cores=1)) as session:
        monkeypatch.setattr(trial.Trial, "run", keeps)
        monkeypatch.setattr(trial.Trial, "check_later", asked)
        with pytest.raises(EnoughError):
            session.evaluate(forward("return torch.relu(self.fc(x))"))


@pytest.mark.slow
def test_a_very_slow_candidate_is_called_seldom(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "_LONGEST_TURN_S", race._LONGEST_TURN_S / 5)  # or all turns last half a minute
    evaluation = certain(session, forward("import time\ntime.sleep(0.03)\nreturn torch.relu(self.fc(x))"))
    assert evaluation.verdict is Verdict.SLOW
    assert len(evaluation.times_us) < 100


def test_wasteful_reference_is_beaten() -> None:
    source = LINEAR.replace("return torch.relu(self.fc(x))", "return torch.relu([self.fc(x) for _ in range(60)][-1])")
    with Session(task(source), JudgeConfig(effort="quick", baselines=())) as judging:
        evaluation = certain(judging, rewrite("[self.fc(x) for _ in range(60)][-1]", "self.fc(x)", source))
    assert evaluation.verdict is Verdict.FAST
    assert evaluation.is_win
    assert evaluation.speedup_eager is not None
    assert evaluation.speedup_eager.lo > 2


def test_an_address_that_cannot_be_is_the_candidates_lie_and_no_failure_of_the_judge() -> None:
    total = LINEAR.replace("return torch.relu(self.fc(x))", "return torch.relu(self.fc(x)).sum()")
    lie = "import sys\nsys.modules['cuda_l1.processes.worker'].places = lambda out, leaves: (1).to_bytes(8, 'little')\n"
    candidate = rewrite(source=lie + total)
    with Session(task(total), JudgeConfig(effort="glance", baselines=())) as session:
        evaluation = session.evaluate(candidate)
    assert evaluation.status is Status.REJECTED, evaluation.findings
    assert evaluation.findings[0].check == "unfinished_work"


@pytest.mark.slow
def test_what_whole_turns_do_not_bear_out_is_no_part_of_a_speedup_but_of_a_baselines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A baseline hides nothing; one that another program made late would be no rival, and its equal would win."""
    wasteful = LINEAR.replace("        return", "        for _ in range(40):\n            self.fc(x)\n        return")

    def late(own: turns.Record, *given: Any, **kind: Any) -> tuple[list[float], float]:
        return [1000.0 * own.block_us(block) for block in range(len(own.turns) // 2)], 0.0

    monkeypatch.setattr(whole, "by_turns", late)
    with Session(task(wasteful), JudgeConfig(effort="glance", baselines=())) as judging:
        evaluation = judging.evaluate(rewrite())
        baseline, processes = judging._judge(rewrite(), trusted=True)
        close(processes)
    assert evaluation.status is baseline.status is Status.PASSED
    assert evaluation.verdict is not Verdict.FAST
    assert evaluation.speedup_eager is not None
    assert evaluation.speedup_eager.value == 1.0
    assert baseline.speedup_eager is not None
    assert baseline.speedup_eager.value > 1.0
