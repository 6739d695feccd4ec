"""Records are frozen, refuse what they do not know, are named by their content, and cannot contradict themselves."""

import json
import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from records import make_candidate, make_evaluation, make_task, make_win

from cuda_l1.errors import CannotJudgeError, ConfigError, CudaL1Error, ModelError, TaskError, UsageError
from cuda_l1.types import (
    Attempt,
    Candidate,
    Evaluation,
    Exemplar,
    Finding,
    Interval,
    Status,
    Task,
    Verdict,
    digest,
    jsonable,
    to_json,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def test_records_are_frozen_and_refuse_unknown_fields():
    task = make_task()
    with pytest.raises(ValidationError, match="frozen"):
        task.name = "other"
    with pytest.raises(ValidationError, match="Extra inputs"):
        make_task(colour="red")


def test_twins_share_an_id_whoever_wrote_them():
    task = make_task()
    one = make_candidate(task, author="a", origin="llm", exemplar_ids=("x",))
    other = make_candidate(task, author="b", origin="transform")
    assert one.id == other.id
    assert len(one.id) == 16


@pytest.mark.parametrize("change", [{"code": "x"}, {"language": "cuda"}, {"task_id": "other"}])
def test_what_decides_the_work_decides_the_id(change):
    candidate = make_candidate(make_task())
    assert Candidate(**{**jsonable(candidate), **change}).id != candidate.id


@pytest.mark.parametrize("change", [{"source": "x"}, {"precision": "bf16"}, {"mode": "train"}])
def test_what_decides_the_outputs_decides_the_source_digest(change):
    task = make_task()
    assert Task(**{**jsonable(task), **change}).source_digest != task.source_digest
    assert make_task(level=3, tags=("x",)).source_digest == task.source_digest


@given(st.lists(TEXT, max_size=4), st.lists(TEXT, max_size=4))
def test_no_two_lists_of_parts_share_a_digest(one, other):
    assert (digest(*one) == digest(*other)) == (one == other)


def test_the_split_between_parts_counts():
    assert len({digest(*parts) for parts in (("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"))}) == 5
    assert len({digest(*parts) for parts in permutations(("a", "b", "c"))}) == 6


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.PASSED])
def test_only_passed_has_times_and_a_verdict(status):
    candidate = make_candidate(make_task())
    assert make_evaluation(candidate, status).times_us == ()
    with pytest.raises(ValidationError, match="times exist if and only if PASSED"):
        make_evaluation(candidate, status, times_us=(1.0,))
    with pytest.raises(ValidationError, match="a verdict exists if and only if PASSED"):
        make_evaluation(candidate, status, verdict=Verdict.SLOW)


def test_passed_has_times_and_a_verdict_and_no_findings():
    candidate = make_candidate(make_task())
    with pytest.raises(ValidationError, match="times exist if and only if PASSED"):
        make_evaluation(candidate, times_us=())
    with pytest.raises(ValidationError, match="a verdict exists if and only if PASSED"):
        make_evaluation(candidate, verdict=None)
    with pytest.raises(ValidationError, match="PASSED has no findings, found output"):
        make_evaluation(candidate, findings=(Finding(check="output", detail="off"),))


def test_a_degenerate_task_has_no_win():
    candidate = make_candidate(make_task())
    with pytest.raises(ValidationError, match="degenerate"):
        make_win(candidate, 2.0, degenerate=True)
    assert not make_evaluation(candidate, degenerate=True).is_win


def test_only_fast_is_a_win():
    candidate = make_candidate(make_task())
    wins = {verdict for verdict in Verdict if make_evaluation(candidate, verdict=verdict).is_win}
    assert wins == {Verdict.FAST}
    assert not make_evaluation(candidate, Status.CRASHED).is_win


@pytest.mark.parametrize(("candidate_id", "parse_error"), [(None, None), ("c", "no code")])
def test_an_attempt_has_exactly_one_outcome(candidate_id, parse_error):
    with pytest.raises(ValidationError, match="either a candidate or a parse error"):
        Attempt(task_id="t", prompt="", reply="", policy="m", candidate_id=candidate_id, parse_error=parse_error)


def test_the_score_is_against_eager_then_the_best_baseline_then_zero():
    candidate = make_candidate(make_task())
    both = make_win(candidate, 2.0, eager=3.0)
    assert Exemplar(candidate=candidate, evaluation=both).score == 3.0
    assert Exemplar(candidate=candidate, evaluation=both.model_copy(update={"speedup_eager": None})).score == 2.0
    assert Exemplar(candidate=candidate, evaluation=make_evaluation(candidate, Status.CRASHED)).score == 0.0


@given(TEXT, st.floats(allow_nan=False))
def test_json_gives_the_record_back(log, error):
    evaluation = make_evaluation(make_candidate(make_task()), Status.WRONG_OUTPUT, log=log, max_error=error)
    line = to_json(evaluation)
    assert "\n" not in line
    assert type(evaluation).model_validate_json(line) == evaluation


def test_json_keeps_what_is_no_number():
    interval = Interval.model_validate_json(to_json(Interval(value=math.nan, lo=-math.inf, hi=math.inf)))
    assert math.isnan(interval.value)
    assert (interval.lo, interval.hi) == (-math.inf, math.inf)


def test_json_has_sorted_keys_and_plain_types():
    candidate = make_candidate(make_task(), exemplar_ids=("a",))
    keys = list(json.loads(to_json(candidate)))
    assert keys == sorted(keys)
    assert jsonable(candidate)["exemplar_ids"] == ["a"]
    assert jsonable(make_evaluation(candidate))["status"] == "PASSED"


def test_each_error_means_one_exit_code():
    codes = {error: error.exit_code for error in (CudaL1Error, UsageError, TaskError, ConfigError)}
    assert set(codes.values()) == {2}
    assert (CannotJudgeError.exit_code, ModelError.exit_code) == (3, 4)
    assert issubclass(TaskError, UsageError)
    assert issubclass(ConfigError, UsageError)


def test_an_evaluation_stored_before_kernels_were_kept_still_reads():
    evaluation = make_win(make_candidate(make_task()), 2.0)
    old = {key: value for key, value in jsonable(evaluation).items() if key != "kernels"}
    assert Evaluation.model_validate(old) == evaluation
