"""A report says what the archive holds: no interval lost, no failure or degenerate task turned into a win."""

import json
import math

import pytest
from records import ENVIRONMENT, make_candidate, make_evaluation, make_task, make_win

from cuda_l1 import report, wording
from cuda_l1.archive import Archive
from cuda_l1.errors import UsageError
from cuda_l1.types import (
    Attempt,
    Candidate,
    Evaluation,
    Exemplar,
    Finding,
    Interval,
    Seconds,
    Speedup,
    Status,
    Usage,
    Verdict,
)


@pytest.fixture
def archive(tmp_path):
    with Archive(tmp_path / "archive.sqlite") as archive:
        yield archive


def store(archive: Archive, candidate: Candidate, evaluation: Evaluation, run_id: str = "run") -> None:
    archive.add_candidate(candidate, make_task(id=candidate.task_id))
    archive.add_evaluation(evaluation, config_digest="c", run_id=run_id)


def start(archive: Archive, run_id: str = "run", task_id: str = "local/relu") -> None:
    archive.add_task(make_task(id=task_id))
    archive.start_run(run_id, task_id, '{"rounds": 2}')


def run_with(archive: Archive, run_id: str, task_id: str, *evaluations: tuple[str, float | None]) -> dict:
    """A run on its own task: each (code, speedup) is a win, or a crash where the speedup is None."""
    start(archive, run_id, task_id)
    for code, value in evaluations:
        candidate = make_candidate(make_task(id=task_id), code=code)
        crash = make_evaluation(candidate, Status.CRASHED)
        store(archive, candidate, make_win(candidate, value, eager=2 * value) if value else crash, run_id)
    return report.summary(archive, run_id)


def test_summary_of_a_full_run(archive):
    task = make_task()
    start(archive)
    eager = make_candidate(task, code="eager", origin="baseline", author="eager")
    graph = make_candidate(task, code="graph", origin="baseline", author="graph")
    fast = make_candidate(task, code="fast", author="diagonal")
    wrong = make_candidate(task, code="wrong", origin="llm", author="model")
    finding = Finding(check="output", detail="off by 3")
    store(
        archive, eager, make_evaluation(eager, times_us=(90.0, 100.0, 140.0), baselines_missing={"compile": "no g++"})
    )
    store(archive, graph, make_evaluation(graph, Status.CRASHED, findings=(Finding(check="exit", detail="code 1"),)))
    store(archive, fast, make_win(fast, 2.0, eager=3.0, seconds=Seconds(total=1.5), baselines_us={"eager": 99.0}))
    store(archive, wrong, make_evaluation(wrong, Status.WRONG_OUTPUT, findings=(finding, finding), max_error=math.inf))
    usage = Usage(prompt_tokens=10, completion_tokens=5, cost=0.25)
    archive.add_attempt(
        Attempt(task_id=task.id, prompt="[]", reply="r", policy="m", candidate_id=wrong.id, usage=usage), "run"
    )
    uncounted = usage.model_copy(update={"estimated": True})
    archive.add_attempt(
        Attempt(task_id=task.id, prompt="[]", reply="r", policy="m", parse_error="no code", usage=uncounted), "run"
    )
    total = report.summary(archive, "run")
    assert total["schema"] == 1
    assert total["outcome"] == "win"
    assert total["best"]["candidate_id"] == fast.id
    assert total["best"]["speedup"] == {"value": 2.0, "lo": 1.98, "hi": 2.02, "vs": "compile"}
    assert total["best"]["times_us"] == {"median": 11.0, "n": 3}
    assert total["baselines"] == [
        {"name": "eager", "median_us": 100.0, "speedup_eager": None, "reason": None},
        {"name": "compile", "median_us": None, "speedup_eager": None, "reason": "no g++"},
        {"name": "graph", "median_us": None, "speedup_eager": None, "reason": "CRASHED exit: code 1"},
    ]
    assert [row["candidate_id"] for row in total["candidates"]] == [fast.id, wrong.id]
    assert total["candidates"][1]["max_error"] is None, "JSON has no infinity"
    assert total["counts"] == {"candidates": 2, "wins": 1, "by_status": {"PASSED": 1, "WRONG_OUTPUT": 1}}
    assert total["attempts"] == {"asked": 2, "parsed": 1}
    assert total["tokens"] == {"prompt": 20, "completion": 10}
    assert (total["cost_usd"], total["estimated"]) == (0.5, 1)
    assert total["judging_s"] == 1.5
    assert total["environment"] == ENVIRONMENT.model_dump(mode="json")
    assert total["config"] == {"rounds": 2}
    assert json.loads(json.dumps(total, allow_nan=False)) == total

    page = report.markdown(total)
    best = "2.00x [1.98, 2.02] vs compile, 3.00x [2.97, 3.03] vs eager: diagonal (transform), 11.00 µs."
    assert f"**{best} Judged once so far: --resume judges it once more.**" in page
    store(archive, fast, make_win(fast, 2.0, eager=3.0))
    assert report.headline(report.summary(archive, "run")) == best
    assert "| graph | – | – | CRASHED exit: code 1 |" in page
    assert "| WRONG_OUTPUT | – | – | – | – | – | output: off by 3 (+1 more) |" in page
    assert "20 + 10 tokens, cost 0.50 USD (estimated from the text for 1 reply, which the server sent" in page
    assert "torch 2.13.0" in page


def test_one_unknown_price_makes_the_cost_unknown(archive):
    start(archive)
    for cost in (0.25, None):
        attempt = Attempt(task_id="t", prompt="", reply="", policy="m", parse_error="e", usage=Usage(cost=cost))
        archive.add_attempt(attempt, "run")
    total = report.summary(archive, "run")
    assert total["cost_usd"] is None
    assert "cost unknown" in report.markdown(total)


def test_an_unknown_run_names_the_known_ones(archive):
    with pytest.raises(UsageError, match="no run nonsense in this archive; the latest: none"):
        report.summary(archive, "nonsense")
    start(archive)
    with pytest.raises(UsageError, match="the latest: run"):
        report.summary(archive, "nonsense")


def test_an_empty_run_is_not_judged(archive):
    start(archive)
    total = report.summary(archive, "run")
    assert (total["outcome"], total["best"], total["cost_usd"]) == ("not judged", None, 0.0)
    assert "No candidate was judged." in report.markdown(total)


def test_a_run_without_a_win_shows_the_closest(archive):
    start(archive)
    candidate = make_candidate(make_task(), author="inline")
    close = Speedup(value=1.004, lo=0.98, hi=1.03, vs="eager")
    store(archive, candidate, make_evaluation(candidate, verdict=Verdict.AMBIGUOUS, speedup=close))
    total = report.summary(archive, "run")
    assert total["outcome"] == "no win"
    assert report.headline(total) == (
        "Nothing was faster than the best baseline with certainty. "
        "Closest: 1.00x [0.98, 1.03] vs eager, inline (transform)."
    )


def test_a_run_without_a_win_names_the_baseline_that_is_faster_than_eager(archive):
    start(archive)
    compiled = make_candidate(make_task(), code="compiled", author="compile", origin="baseline")
    other = make_candidate(make_task(), code="other", author="inline")
    store(archive, compiled, make_win(compiled, 1.8, eager=1.8))
    graph = make_candidate(make_task(), code="graph", author="graph", origin="baseline")
    store(archive, graph, make_win(graph, 1.7, eager=1.7, times_us=(9.0,)))  # in a faster moment of the machine
    store(archive, other, make_evaluation(other, Status.CRASHED))
    said = report.headline(report.summary(archive, "run"))
    assert said.startswith("Nothing was faster than the best baseline (compile, 1.80x [1.78, 1.82] vs eager)"), said


def test_an_interval_above_one_that_is_no_win_says_why(archive):
    start(archive)
    candidate = make_candidate(make_task(), author="inline")
    faster = Speedup(value=2.27, lo=1.96, hi=2.5, vs="compile")
    notes = (Finding(check="drift", detail="+8%"), Finding(check="crowded", detail="others had 1.3 of 2\nCPU cores"))
    evaluation = make_evaluation(candidate, verdict=Verdict.AMBIGUOUS, speedup=faster, notes=notes)
    store(archive, candidate, evaluation)
    assert report.headline(report.summary(archive, "run")).endswith(
        "Closest: 2.27x [1.96, 2.50] vs compile, inline (transform); no win for crowded: others had 1.3 of 2 CPU "
        "cores; --resume asks again."
    )


def test_a_degenerate_task_has_no_best(archive):
    start(archive)
    candidate = make_candidate(make_task())
    huge = Speedup(value=99.0, lo=98.0, hi=100.0, vs="eager")
    store(archive, candidate, make_evaluation(candidate, degenerate=True, speedup=huge))
    total = report.summary(archive, "run")
    assert (total["outcome"], total["best"], total["task"]["degenerate"]) == ("degenerate", None, True)
    assert report.headline(total).startswith("The task is degenerate")
    assert report.aggregate([total])["counted"] == 0


def test_our_own_failure_does_not_hide_an_earlier_verdict(archive):
    start(archive)
    candidate = make_candidate(make_task())
    store(archive, candidate, make_evaluation(candidate, Status.WRONG_OUTPUT))
    store(archive, candidate, make_evaluation(candidate, Status.INFRA_FAILED))
    total = report.summary(archive, "run")
    assert (total["outcome"], total["counts"]["by_status"]) == ("no win", {"WRONG_OUTPUT": 1})


def test_a_win_that_we_failed_to_confirm_is_not_judged(archive):
    start(archive)
    first, slower = (make_candidate(make_task(), code=code) for code in ("first", "slower"))
    store(archive, slower, make_evaluation(slower))
    store(archive, first, make_win(first, 2.0))
    store(archive, first, make_evaluation(first, Status.INFRA_FAILED))
    total = report.summary(archive, "run")
    assert (total["outcome"], total["counts"]["wins"]) == ("not judged", 0)
    assert "INFRA_FAILED" in report.headline(total)
    store(archive, first, make_win(first, 2.0))
    assert report.summary(archive, "run")["outcome"] == "win", "the word after that stands"

    other = make_candidate(make_task(), code="other")
    store(archive, other, make_win(other, 3.0))
    store(archive, other, make_evaluation(other, Status.INFRA_FAILED))
    total = report.summary(archive, "run")
    assert (total["outcome"], total["best"]["candidate_id"]) == ("win", first.id), "what is confirmed is a win"


def test_best_goes_by_certainty_and_prefers_a_win():
    task = make_task()
    lucky, sure, wide = (make_candidate(task, code=code) for code in ("lucky", "sure", "wide"))
    lucky_win = make_win(lucky, 3.0).model_copy(update={"speedup": Speedup(value=3.0, lo=1.1, hi=8.0, vs="eager")})
    wide_miss = make_evaluation(
        wide, verdict=Verdict.AMBIGUOUS, speedup=Speedup(value=9.0, lo=2.5, hi=20.0, vs="eager")
    )
    exemplars = [
        Exemplar(candidate=wide, evaluation=wide_miss),
        Exemplar(candidate=lucky, evaluation=lucky_win),
        Exemplar(candidate=sure, evaluation=make_win(sure, 2.0)),
    ]
    found = report.best(exemplars)
    assert found is not None
    assert found.candidate == sure
    assert report.best([Exemplar(candidate=sure, evaluation=make_evaluation(sure, Status.CRASHED))]) is None


def test_what_is_no_win_by_its_nature_is_not_the_closest():
    note = Finding(check="weights_by_seed", detail="it lacks `scale`")
    denied, honest = (make_candidate(make_task(), code=code) for code in ("denied", "honest"))
    close = Speedup(value=1.2, lo=1.005, hi=1.4, vs="eager")
    exemplars = [
        Exemplar(candidate=denied, evaluation=make_win(denied, 60.0, notes=(note,), verdict=Verdict.AMBIGUOUS)),
        Exemplar(candidate=honest, evaluation=make_evaluation(honest, verdict=Verdict.AMBIGUOUS, speedup=close)),
    ]
    found = report.best(exemplars)
    assert found is not None
    assert found.candidate == honest
    assert exemplars[0].score == 1.0


def test_aggregate_counts_failures_and_keeps_degenerate_tasks_apart(archive):
    summaries = [
        run_with(archive, "r1", "t/1", ("a", 2.0), ("b", 1.2)),
        run_with(archive, "r2", "t/2", ("c", 8.0)),
        run_with(archive, "r3", "t/3", ("d", None)),
    ]
    degenerate = run_with(archive, "r4", "t/4", ("e", None)) | {"outcome": "degenerate", "best": None}
    total = report.aggregate([*summaries, degenerate])
    assert [total[name] for name in ("runs", "counted", "wins", "failures")] == [4, 3, 2, 1]
    assert total["degenerate"] == ["t/4"]
    speedup = total["speedup"]
    assert speedup["n"] == 2
    assert speedup["geomean"] == pytest.approx({"value": 4.0, "lo": 3.96, "hi": 4.04})
    assert speedup["median"] == pytest.approx({"value": 5.0, "lo": 4.95, "hi": 5.05})
    assert speedup["max"]["value"] == 8.0
    assert speedup["quartiles"] == pytest.approx([3.5, 6.5])
    assert total["speedup_eager"]["geomean"]["value"] == pytest.approx(8.0)
    assert {p: row["tasks"] for p, row in total["fast_p"].items()} == {"1": 2, "1.01": 2, "1.2": 2, "1.5": 2, "2": 1}
    assert total["fast_p"]["1"]["share"] == pytest.approx(2 / 3)
    assert total["fast_p_eager"]["2"]["tasks"] == 2

    page = report.aggregate_markdown(total)
    assert "4 runs, 3 counted: 2 with a win, 1 failure." in page
    assert "| geometric mean | 4.00x [3.96, 4.04] | 8.00x [7.92, 8.08] |" in page
    assert "| fast_2 | 1 of 3 (33%) | 2 of 3 (67%) |" in page
    assert "| Relu (`t/3`) | no win | – |" in page
    assert "Degenerate, not counted: t/4." in page


def test_the_top_five_share_shows_that_a_few_tasks_carry_the_mean(archive):
    values = [1.1] * 10 + [50.0] * 5
    summaries = [run_with(archive, f"r{i}", f"t/{i}", ("a", value)) for i, value in enumerate(values)]
    total = report.aggregate(summaries)
    assert total["speedup"]["top_share"] == pytest.approx(250 / 261)
    assert list(total["speedup"])[1:3] == ["geomean", "median"]


def test_aggregate_warns_of_repeated_tasks_and_mixed_devices(archive):
    first = run_with(archive, "r1", "t/1", ("a", 2.0))
    again = run_with(archive, "r2", "t/1", ("b", 2.0)) | {"devices": ["NVIDIA H200"]}
    page = report.aggregate_markdown(report.aggregate([first, again]))
    assert "Counted more than once: t/1." in page
    assert "Measured on different devices, which do not compare: NVIDIA H200, cpu." in page


def test_aggregate_says_where_it_was_measured_though_the_last_run_judged_nothing(archive):
    first = run_with(archive, "r1", "t/1", ("a", 2.0))
    page = report.aggregate_markdown(report.aggregate([first, run_with(archive, "r2", "t/2")]))
    assert f"device {ENVIRONMENT.device}" in page
    assert "Nothing was measured" not in page


def test_aggregate_of_nothing_and_of_no_win(archive):
    assert report.aggregate([])["speedup"] is None
    total = report.aggregate([run_with(archive, "r", "t", ("a", None))])
    assert total["fast_p"]["1"] == {"tasks": 0, "share": 0.0}
    assert "| geometric mean | – | – |" in report.aggregate_markdown(total)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Interval(value=1.333, lo=1.312, hi=1.338), "1.33x [1.31, 1.34]"),
        ({"value": 223.456, "lo": 220.0, "hi": 230.0}, "223.46x [220.00, 230.00]"),
        (Interval(value=0.0042, lo=0.004, hi=0.0044), "0.0042x [0.004, 0.0044]"),
        ({"value": 1.5, "lo": 1.4, "hi": None}, "1.50x [1.40, –]"),
        (None, "–"),
    ],
)
def test_a_ratio_shows_its_interval(value, text):
    assert report.ratio(value) == text


def test_a_count_takes_the_plural_unless_it_is_one() -> None:
    said = [wording.counted(count, noun) for noun in ("candidate", "reply") for count in (0, 1, 2)]
    assert said == ["0 candidates", "1 candidate", "2 candidates", "0 replies", "1 reply", "2 replies"]


def test_times_carry_their_unit():
    texts = [wording.duration_us(us) for us in (None, 0.5, 12.3449, 999.0, 1234.0, 2_500_000.0)]
    assert texts == ["–", "0.50 µs", "12.34 µs", "999.00 µs", "1.23 ms", "2.50 s"]
    assert [wording.duration_s(s) for s in (3.21, 372.0, 7500.0)] == ["3.2 s", "6 min 12 s", "2 h 5 min"]


def test_a_candidates_message_cannot_draw_on_the_page(archive):
    start(archive)
    candidate = make_candidate(make_task(), author="a | b")
    trick = Finding(check="exit", detail="x |\n| <img src=x> [win](http://x) |\x1b[2J\u202e")
    store(archive, candidate, make_evaluation(candidate, Status.CRASHED, findings=(trick,)))
    page = report.markdown(report.summary(archive, "run"))
    assert "<img" not in page
    assert "](http" not in page
    assert all(line.isprintable() for line in page.split("\n"))
    assert r"a \| b (transform)" in page
