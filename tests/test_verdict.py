"""Exit codes and the JSON contract of verify, on records."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from records import make_candidate, make_evaluation, make_task

from cuda_l1 import verdict
from cuda_l1.errors import CannotJudgeError
from cuda_l1.types import Finding, Interval, Speedup, Status, Verdict

TASK = make_task()
CANDIDATE = make_candidate(TASK)
FIELDS = {
    "schema", "task_id", "candidate_id", "status", "verdict", "findings", "notes", "labels", "task", "claim", "seed",
    "throughput_us", "speedup", "speedup_eager", "baselines_us", "times_us", "max_error", "reference_error",
    "roofline_fraction", "seconds", "environment",
}  # fmt: skip


def passed(**fields: Any) -> Any:
    return make_evaluation(
        CANDIDATE,
        speedup_eager=Interval(value=3.0, lo=2.9, hi=3.1),
        max_error=1e-6,
        reference_error=1e-7,
        **{"verdict": Verdict.FAST, "speedup": Speedup(value=1.5, lo=1.4, hi=1.6, vs="compile"), **fields},
    )


@pytest.mark.parametrize(
    ("claim", "least", "code"),
    [
        (None, None, 0), (2.0, None, 0), (2.9, None, 0), (3.0, None, 3), (3.2, None, 1), (None, 1.4, 0), (None, 1.5, 3),
        (None, 1.7, 1), (2.0, 1.5, 3), (3.2, 1.5, 1),
    ],
)  # fmt: skip
def test_thresholds_decide_by_the_interval(claim: float | None, least: float | None, code: int) -> None:
    assert verdict.exit_code(passed(), claim, least) == code


def test_what_is_wrong_at_other_sizes_is_a_no_and_what_has_no_verdict_there_is_none() -> None:
    wrong, none = (make_evaluation(CANDIDATE, status) for status in (Status.WRONG_OUTPUT, Status.INFRA_FAILED))
    slow = passed(verdict=Verdict.SLOW)
    assert verdict.exit_code(passed(), 2.0, None, [slow, passed()]) == 0
    assert verdict.exit_code(passed(), 2.0, None, [slow, none]) == 3
    assert verdict.exit_code(passed(), 2.0, None, [none, wrong]) == 1
    assert verdict.exit_code(passed(), 3.2, None, [slow]) == 1
    assert verdict.line_at("N=3", slow) == "held out    N=3: PASSED  SLOW  1.50x [1.40, 1.60] vs compile"
    lost = CannotJudgeError("no room")
    assert verdict.exit_code(passed(), None, None, [lost]) == 3
    assert verdict.line_at("N=3", lost) == "held out    N=3: not judged: no room"
    assert verdict.contract_at("N=3", TASK, lost) == {"sizes": "N=3", "status": None, "error": "no room"}
    assert set(verdict.contract_at("N=3", TASK, slow)) >= FIELDS | {"sizes"}
    failed = wrong.model_copy(update={"findings": (Finding(check="error", detail="off\nby one"),)})
    assert verdict.line_at("N=3", failed) == "held out    N=3: WRONG_OUTPUT  error: off by one"


@pytest.mark.parametrize("check", ["not_repeated", "weights_by_seed", "small_win"])
def test_no_threshold_above_one_is_met_by_what_is_no_win(check: str) -> None:
    denied = passed(verdict=Verdict.AMBIGUOUS, notes=(Finding(check=check, detail="of 2 CPU cores"),))
    assert [verdict.exit_code(denied, claim, None) for claim in (0.9, 2.0, 3.2)] == [0, 3, 1]
    assert verdict.contract(TASK, denied, None, 1.2)["answers"]["min_speedup"] == "uncertain"
    said = verdict.lines(TASK, denied, 2.0, 1.5)
    assert f"claim       2x: uncertain, for {check}" in said
    assert "min-speedup 1.5x: uncertain" in said, "it lies within the interval"
    assert verdict.exit_code(passed(notes=(Finding(check="drift", detail="+8%"),)), 2.0, None) == 0


def test_of_a_crowded_machine_no_threshold_is_met_or_missed() -> None:
    crowded = passed(verdict=Verdict.AMBIGUOUS, notes=(Finding(check="crowded", detail="of 2 CPU cores"),))
    assert [verdict.exit_code(crowded, claim, None) for claim in (None, 0.9, 3.0, 3.2)] == [0, 3, 3, 3]
    said = verdict.lines(TASK, crowded, 3.2, 1.5)
    assert "claim       3.2x: uncertain, for crowded" in said
    assert "min-speedup 1.5x: uncertain" in said, "it lies within the interval"
    assert f"next        {verdict.CROWDED}" in said


def test_slow_is_no_failure_unless_a_threshold_was_asked() -> None:
    slow = passed(verdict=Verdict.SLOW)
    assert verdict.exit_code(slow, None, None) == 0


def test_no_threshold_can_be_met_on_a_degenerate_task() -> None:
    degenerate = passed(verdict=Verdict.AMBIGUOUS, degenerate=True)
    assert verdict.exit_code(degenerate, None, None) == 0
    assert verdict.exit_code(degenerate, 1.1, None) == 3


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.PASSED])
def test_every_other_status(status: Status) -> None:
    failed = make_evaluation(CANDIDATE, status, findings=(Finding(check="x", detail="y"),))
    assert verdict.exit_code(failed, None, None) == (3 if status is Status.INFRA_FAILED else 1)
    data = json.loads(json.dumps(verdict.contract(TASK, failed, None, None)))
    assert data["status"] == status
    assert data["times_us"] == {"median": None, "n": 0}
    assert any("finding" in line for line in verdict.lines(TASK, failed, None, None))


def test_a_candidates_message_cannot_draw_lines_of_ours() -> None:
    said = "boo\x1b[2J\x07\r\nPASSED  FAST   t, candidate\u2028speedup     9.00x\u202e\x00"
    failed = make_evaluation(
        CANDIDATE, Status.CRASHED, findings=(Finding(check="forward\n", detail=said),),
        notes=(Finding(check="label", detail=said * 1000),),
    )  # fmt: skip
    lines = verdict.lines(TASK, failed, None, None)
    assert lines[1] == "finding     forward : boo [2J PASSED FAST t, candidate speedup 9.00x"
    assert len(lines[2]) < 2100
    assert "precision default, seed" in lines[-1]
    named = TASK.model_copy(update={"name": said})
    assert all(line.isprintable() for line in [*lines, *verdict.lines(named, failed, None, None)])


def test_of_a_compiler_its_first_error_is_said() -> None:
    printed = (
        "RuntimeError: Error building extension 'k': c++ -I/usr/include " + "-isystem /opt/include " * 200
        + "-c /tmp/x/main.cpp\n/tmp/x/main.cpp: In function 'int go()':\n"
        "/tmp/x/main.cpp:3:55: error: 'undeclared' was not declared in this scope\n    3 | return undeclared;\n"
    )  # fmt: skip
    failed = make_evaluation(CANDIDATE, Status.BUILD_FAILED, findings=(Finding(check="build", detail=printed),))
    assert verdict.lines(TASK, failed, None, None)[1] == (
        "finding     build: main.cpp:3:55: error: 'undeclared' was not declared in this scope 3 | return undeclared;"
        "   (all that was printed: --json)"
    )
    assert verdict.contract(TASK, failed, None, None)["findings"][0]["detail"] == printed


def test_an_uncertain_verdict_says_what_to_do() -> None:
    unsure = passed(verdict=Verdict.AMBIGUOUS)
    said = [line for line in verdict.lines(TASK, unsure, None, None) if line.startswith("next ")]
    assert said == [f"next        {verdict.UNSURE}"]
    for other in (passed(), passed(verdict=Verdict.AMBIGUOUS, degenerate=True)):
        assert not any(line.startswith("next ") for line in verdict.lines(TASK, other, None, None))


def test_who_has_no_class_of_that_name_is_told_to_name_another() -> None:
    said = "the code defines no class ModelNew that is a torch.nn.Module; it has Net"
    failed = make_evaluation(CANDIDATE, Status.BUILD_FAILED, findings=(Finding(check="build", detail=said),))
    assert verdict.lines(TASK, failed, None, None)[2].startswith("next        name the class or the function")


def test_a_failure_of_the_judge_is_said_to_be_no_word_on_the_candidate() -> None:
    failed = make_evaluation(CANDIDATE, Status.INFRA_FAILED)
    assert any(line.startswith("next        this says nothing of") for line in verdict.lines(TASK, failed, None, None))


def test_contract_has_its_fields() -> None:
    data = verdict.contract(TASK, passed(), 2.0, None)
    assert set(data) >= FIELDS
    assert data["schema"] == 1
    assert data["task"]["degenerate"] is False
    assert data["speedup"] == {"value": 1.5, "lo": 1.4, "hi": 1.6, "vs": "compile"}
    assert data["claim"] == 2.0
    assert data["answers"] == {"claim": "met", "min_speedup": None}
    assert data["times_us"] == {"median": 11.0, "n": 3}


def test_lines_show_both_ratios_with_their_intervals() -> None:
    text = "\n".join(verdict.lines(TASK, passed(), 3.2, 1.5))
    assert "1.50x [1.40, 1.60] vs compile" in text
    assert "3.00x [2.90, 3.10]" in text
    assert "claim       3.2x: missed" in text
    assert "min-speedup 1.5x: uncertain" in text


def test_a_figure_against_eager_is_said_once() -> None:
    against_eager = passed(speedup=Speedup(value=3.0, lo=2.9, hi=3.1, vs="eager"))
    text = "\n".join(verdict.lines(TASK, against_eager, None, None))
    assert text.count("3.00x [2.90, 3.10]") == 1
    assert "3.00x [2.90, 3.10] vs eager" in text


def test_the_page_names_every_field_of_the_contract() -> None:
    page = (Path(__file__).parents[1] / "docs/verify.md").read_text()
    rows = page.split("## The JSON object")[1].splitlines()
    named = {name for row in rows if row.startswith("| `") for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert named == {*verdict.contract(TASK, passed(), None, None), "held_out", "exit_code"}
