"""A sweep's numbers by hand and by property, and two sweeps or two runs side by side."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import ENVIRONMENT, make_candidate, make_task, make_win

from cuda_l1 import comparison, report, scoreboard, scores
from cuda_l1.archive import Archive
from cuda_l1.cli import main
from cuda_l1.cli.sweep import _Progress
from cuda_l1.config import Budget, OptimizeConfig
from cuda_l1.console import Console
from cuda_l1.errors import UsageError
from cuda_l1.meter import Meter
from cuda_l1.replies import Completion
from cuda_l1.types import Usage, Verdict, jsonable, to_json

# The numbers.


def best(value: float | None, eager: float | None = None, *, win: bool = True, labels: Any = ("algebra",)) -> Any:
    """A task's best candidate as a row has it, within 1%."""
    if value is None:
        return None
    task = make_task()
    candidate = make_candidate(task)
    evaluation = make_win(candidate, value, eager=eager, labels=labels)
    if not win:
        evaluation = evaluation.model_copy(update={"verdict": Verdict.SAME})
    return report.entry(candidate, evaluation)


def row(number: int, value: float | None = None, eager: float | None = None, **fields: Any) -> scores.Row:
    """A task that is won by `value`; without one, without a correct candidate."""
    outcome = fields.pop("outcome", "win" if value else "no win")
    known: dict[str, Any] = {
        "number": number, "task_id": f"t/{number}", "name": f"T{number}", "level": 1, "source_digest": "s",
        "run_id": f"r{number}", "state": "done", "outcome": outcome, "correct": value is not None,
        "best": best(value, eager, win=outcome == "win", labels=fields.pop("labels", ("algebra",))),
        "environment": jsonable(ENVIRONMENT),
    }  # fmt: skip
    return scores.Row(**known | fields)


def plan(name: str = "a", **settings: Any) -> scores.Plan:
    return scores.Plan(
        sweep_id=name, spec="x", started="2026-01-01T00:00:00+00:00", budget="", device_name="cpu", judge_version="1",
        config=OptimizeConfig(device="cpu", **settings), entries=(),
    )  # fmt: skip


def summary(rows: list[scores.Row], name: str = "a", **settings: Any) -> dict[str, Any]:
    calls = {"not_kept": 0, "unanswered": 0, "failed": 0}
    return scores.summary(plan(name, **settings), rows, 60.0, calls)


ROWS = [
    row(1, 2.0, 4.0, prompt_tokens=10, completion_tokens=5, asked=2, parsed=1, cost_usd=0.5, estimated=2),
    row(2, 8.0, 16.0, level=2, labels=("kernel", "library")),
    row(3, 0.5, 0.8, outcome="no win", labels=()),
    row(4),
    row(5, outcome="no candidate", level=None),
    row(6, outcome="degenerate", prompt_tokens=7, cost_usd=0.25),
    row(7, outcome="infra failed", state="failed", why="the device is gone"),
    row(8, outcome="none", state="broken", why="no class Model"),
    row(9, outcome="none", state="left"),
    row(10, outcome="none", state="model", why="away"),
]
"""Five counted tasks: 2x and 8x won, 0.5x correct and slower, two failures; the rest counts nowhere."""


def test_conventions_are_what_they_say() -> None:
    every = scores.numbers(ROWS)
    assert [every[name] for name in ("tasks", "counted", "correct", "wins")] == [10, 5, 3, 2]
    means = {(name, side): every["speedup"][name][side]["geomean"]["value"] for name in scores.CONVENTIONS
             for side in scores.SIDES}  # fmt: skip
    assert means == pytest.approx({
        ("kept", "best"): 16 ** (1 / 5), ("kept", "eager"): 64 ** (1 / 5),
        ("correct", "best"): 2.0, ("correct", "eager"): (4 * 16 * 0.8) ** (1 / 3),
        ("wins", "best"): 4.0, ("wins", "eager"): 8.0,
    })  # fmt: skip
    medians = [every["speedup"][name]["best"]["median"]["value"] for name in scores.CONVENTIONS]
    assert medians == pytest.approx([1.0, 2.0, 5.0])
    assert [every["speedup"][name]["best"]["n"] for name in scores.CONVENTIONS] == [5, 3, 2]
    assert every["tokens"] == {"prompt": 17, "completion": 5}
    assert every["attempts"] == {"asked": 2, "parsed": 1}
    assert every["cost_usd"] == 0.75
    assert scores.numbers([*ROWS, row(11, cost_usd=None)])["cost_usd"] is None


def test_fast_p_is_over_all_counted_tasks() -> None:
    lucky = row(6, 1.005, 1.5, outcome="no win")  # faster than 1 as measured, and not with certainty
    curve = scores.fast_p([*ROWS[:5], lucky], "best")
    assert curve["1"] == {"tasks": 3, "share": 0.5, "certain": 2}
    assert [curve[p]["tasks"] for p in ("1.01", "1.2", "1.5", "2", "5")] == [2, 2, 2, 1, 1]
    assert curve["1.5"]["certain"] == 2
    assert scores.fast_p([*ROWS[:5], lucky], "eager")["1.2"] == {"tasks": 3, "share": 0.5, "certain": 2}
    assert scores.fast_p([], "best")["1"] == {"tasks": 0, "share": 0.0, "certain": 0}


def test_what_is_no_win_by_its_nature_is_not_fast() -> None:
    denied = row(6, 60.0, 60.0, outcome="no win")
    assert denied.best is not None
    denied.best["notes"] = [{"check": "not_waited", "detail": "over before the device was"}]
    numbers = scores.numbers([denied])
    assert numbers["correct"] == 1
    for side in scores.SIDES:
        assert not any(each["tasks"] for each in numbers[f"fast_p_{side}"].values())
        assert numbers["speedup"]["correct"][side]["geomean"]["value"] == 1.0


def test_groups_and_what_counts_nowhere() -> None:
    total = summary(ROWS)
    assert {level: its["counted"] for level, its in total["by_level"].items()} == {"1": 3, "2": 1, "no level": 1}
    assert {label: its["wins"] for label, its in total["by_label"].items()} == {
        "algebra": 1, "kernel": 1, "library": 1, "no label": 0,
    }  # fmt: skip
    assert total["degenerate"] == ["t/6"]
    assert total["infra_failed"] == {"t/7": "the device is gone"}
    assert total["broken"] == {"t/8": "no class Model"}
    assert total["left"] == ["t/9"]
    assert total["early"] == {"t/10": "away"}
    assert total["exit_code"] == 4
    assert summary(ROWS[:7])["exit_code"] == 3
    assert summary(ROWS[:6])["exit_code"] == 0
    assert summary([*ROWS[:6], ROWS[7]])["exit_code"] == 3, "a task that does not run has no word"
    page = scoreboard.markdown(total)
    for text in (
        "2 of 5 tasks faster with certainty, 3 with a correct candidate",
        "kept: all tasks, 1.0x without a win | 5 |", "Degenerate, counted nowhere: t/6.",
        "INFRA_FAILED, our own failure, counted nowhere: t/7 (the device is gone).", "Not begun: t/9.",
        "| fast_1 | 2 (40%) [2] | 2 (40%) [2] |", "17 + 5 tokens",
        "cost 0.75 USD (estimated from the text for 2 replies, which the server sent without a full count).",
    ):  # fmt: skip
        assert text in page
    assert "Besides" not in page
    json.dumps(total, allow_nan=False)
    empty = scoreboard.markdown(summary([]))
    assert "No task of 0 has a word yet" in empty
    assert "| correct (fast_0) | 0 (–) | 0 (–) |\n| fast_1 | 0 (–) [0] | 0 (–) [0] |" in empty


def test_tokens_of_a_task_that_is_not_over_are_not_taken_for_lost(tmp_path: Path) -> None:
    """What a killed process was answered for it is in the archive, and the table does not know that yet."""
    entries = tuple(scores.Entry(run_id=name, task=make_task(id=name)) for name in ("r1", "r2"))
    (tmp_path / scores.PLAN).write_text(to_json(plan().model_copy(update={"entries": entries})))
    (tmp_path / scores.ROWS).write_text(to_json(row(1, prompt_tokens=10, completion_tokens=5)) + "\n")
    meter = Meter(tmp_path / scores.CALLS, Budget())
    for run_id, tokens in (("r1", 10), ("r2", 600)):
        call, _ = meter.ask(1, run_id)
        usage = Usage(prompt_tokens=tokens, completion_tokens=5)
        meter.answered(call, [Completion("", usage, "stop")])
    meter.ask(1, "r2")
    meter.begin()
    assert scores.read(tmp_path)["calls"] == {"not_kept": 0, "unanswered": 1, "failed": 0}
    call, _ = meter.ask(1, "r1")
    meter.answered(call, [Completion("", Usage(prompt_tokens=7), "stop")])
    assert scores.read(tmp_path)["calls"]["not_kept"] == 7, "of a task that is over nothing more will be found"


def test_how_a_task_ended_is_said_once() -> None:
    rows = [
        row(1, outcome="none", state="left"),
        row(2, outcome="none", state="interrupted", why="interrupted"),
        ROWS[9],
    ]
    table = scoreboard.markdown(summary(rows)).partition("## Tasks")[2]
    assert [line.split(" | ")[-1] for line in table.splitlines() if line.startswith("| T")] == [
        "left |", "interrupted |", "model: away |",
    ]  # fmt: skip


factors = st.lists(st.floats(0.01, 100.0), min_size=2, max_size=12)


@given(factors)
def test_the_mean_of_inverses_is_the_inverse_of_the_mean(values: list[float]) -> None:
    one = scores.spread(values)
    other = scores.spread([1 / value for value in values])
    assert one is not None
    assert other is not None
    a, b = one["geomean"], other["geomean"]
    assert a["value"] == pytest.approx(1 / b["value"])
    assert (a["lo"], a["hi"]) == pytest.approx((1 / b["hi"], 1 / b["lo"]))
    for name in ("geomean", "median"):
        assert min(values) * 0.999 <= one[name]["lo"] <= one[name]["hi"] <= max(values) * 1.001


@given(st.lists(st.one_of(st.none(), st.floats(1.02, 50.0)), max_size=12))
def test_a_failure_never_helps(values: list[float | None]) -> None:
    rows = [row(number, value) for number, value in enumerate(values, 1)]
    more = scores.numbers([*rows, row(99)])
    before = scores.numbers(rows)
    shares = [more["fast_p_best"][p]["share"] for p in more["fast_p_best"]]
    assert shares == sorted(shares, reverse=True)
    assert all(more["fast_p_best"][p]["share"] <= before["fast_p_best"][p]["share"] for p in before["fast_p_best"])
    if values:
        after, earlier = (its["speedup"]["kept"]["best"]["geomean"]["value"] for its in (more, before))
        assert after <= earlier * (1 + 1e-12)
        assert more["speedup"]["wins"] == before["speedup"]["wins"]


def test_an_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    import numpy as np

    draw = np.random.default_rng(1)
    inside = 0
    for _ in range(200):
        found = scores.spread(list(np.exp(draw.normal(0.5, 0.4, 30))))
        assert found is not None
        inside += found["geomean"]["lo"] <= math.exp(0.5) <= found["geomean"]["hi"]
    assert 176 <= inside <= 199  # 95% of 200 is 190


# Two side by side.


def test_a_comparison_is_paired_by_task() -> None:
    a = summary([row(1, 2.0), row(2, 3.0), row(3), row(4, 2.0), row(6, outcome="degenerate")], "a", model="m1")
    b = summary([row(1, 4.0), row(2, 3.0), row(3, 1.5), row(5, 9.0), row(6, outcome="degenerate")], "b", model="m2")
    total = comparison.compare(a, b)
    paired = total["paired"]["best"]
    assert paired["kept"]["value"] == pytest.approx(3 ** (1 / 3)), "2x, 1x and from nothing to 1.5x"
    assert paired["correct"]["value"] == pytest.approx(2 ** (1 / 2)), "on the two that both have right"
    assert [paired[name] for name in ("better", "worse", "undecided")] == [2, 0, 1]
    assert paired["sign_test_p"] == 0.5
    assert total["counts"] == {"common": 4, "counted": 3, "both_win": 2, "only_a_wins": 0, "only_b_wins": 1}
    assert total["differs"] == {"model": ["m1", "m2"]}
    assert total["warnings"] == [
        "only in a: t/4", "only in b: t/5", "counted nowhere, degenerate or without a word on a side: t/6",
    ]  # fmt: skip
    page = comparison.markdown(total)
    assert "| T3 (t/3) | no win | – | win | 1.50x" in page
    back = comparison.compare(b, a)["paired"]["best"]["kept"]
    assert back["value"] * paired["kept"]["value"] == pytest.approx(1.0)
    assert (back["lo"], back["hi"]) == pytest.approx((1 / paired["kept"]["hi"], 1 / paired["kept"]["lo"]))


def test_what_does_not_compare_is_refused_or_said() -> None:
    a = summary([row(1, 2.0), row(2, 2.0)], "a")
    for field, value, words in (("device", "H200", "device cpu against H200"), ("judge_version", "9", "judge version")):
        elsewhere = jsonable(ENVIRONMENT) | {field: value}
        with pytest.raises(UsageError, match=words):
            comparison.compare(a, summary([row(1, 2.0, environment=elsewhere)], "b"))
    with pytest.raises(UsageError, match="no task in common"):
        comparison.compare(a, summary([row(1, 2.0, source_digest="other")], "b"))
    with pytest.raises(UsageError, match="b has no judged candidate"):
        comparison.compare(a, summary([row(1, environment=None)], "b"))
    newer = jsonable(ENVIRONMENT) | {"torch": "3.0"}
    b = summary([row(1, 2.0, source_digest="other"), row(2, 2.0, environment=newer, state="budget")], "b",
                effort="quick")  # fmt: skip
    assert comparison.compare(a, b)["warnings"] == [
        "judged with another effort: normal against quick", "another torch: 2.13.0 against 3.0",
        "left out, their source, precision or mode differs: t/1", "ended early on a side: t/2",
    ]  # fmt: skip


def test_what_the_judge_could_not_tell_is_named() -> None:
    unsure = row(1, 2.0, outcome="no win")
    assert unsure.best is not None
    unsure = unsure.model_copy(update={"best": unsure.best | {"verdict": "AMBIGUOUS"}})
    total = summary([unsure, row(2, 3.0)], "a")
    assert total["undecided"] == ["t/1"]
    assert "a second word that differs): no win: t/1." in scoreboard.markdown(total)
    sure = summary([row(1, 2.0), row(2, 3.0)], "b")
    warnings = comparison.compare(total, sure)["warnings"]
    assert warnings == ["AMBIGUOUS on a side, which counts as no win there: t/1"]
    assert comparison.compare(sure, sure)["warnings"] == []


@pytest.mark.parametrize(("better", "worse", "p"), [(0, 0, 1.0), (5, 0, 0.0625), (3, 1, 0.625), (2, 2, 1.0)])
def test_sign_test(better: int, worse: int, p: float) -> None:
    assert comparison.sign_test(better, worse) == comparison.sign_test(worse, better) == p


def test_two_runs_of_one_task_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = make_task()
    with Archive(tmp_path / "a.sqlite") as archive:
        archive.add_task(task)
        for run, value in (("one", 2.0), ("two", 3.0)):
            archive.start_run(run, task.id, json.dumps(jsonable(OptimizeConfig(device="cpu"))))
            candidate = make_candidate(task, code=run)
            archive.add_candidate(candidate, task)
            archive.add_evaluation(make_win(candidate, value), config_digest="c", run_id=run)
    with pytest.raises(SystemExit) as end:
        main(["report", "one", "two", "--archive", str(tmp_path / "a.sqlite"), "--json"])
    assert end.value.code == 0
    paired = json.loads(capsys.readouterr().out)["paired"]["best"]
    assert paired["kept"] == {"n": 1, "value": pytest.approx(1.5), "lo": None, "hi": None}
    assert paired["better"] == 1

    page = tmp_path / "page.md"
    for runs in (["one"], ["one", "two"]):
        with pytest.raises(SystemExit):
            main(["report", *runs, "--archive", str(tmp_path / "a.sqlite"), "--json", "-o", str(page)])
        assert json.loads(capsys.readouterr().out)["schema"] == 1, "one object on stdout, whatever goes to a file"
        assert page.read_text().startswith("# ")


def test_all_that_is_listed_apart_is_named_however_many() -> None:
    many = [row(number, why="interrupted", state="left", outcome="none") for number in range(1, 400)]
    page = scoreboard.markdown(summary([row(400, 2.0), *many]))
    assert f"- Not begun: {', '.join(each.task_id for each in many)}.\n" in page
    compared = comparison.compare(summary([row(400, 2.0), *many]), summary([row(400, 2.0)], "b"))
    assert many[-1].task_id in comparison.markdown(compared)
    assert "estimated" not in comparison.markdown(compared)
    compared = comparison.compare(summary(ROWS), summary(ROWS[1:], "b"))
    assert "| 17 + 5 (estimated from the text for 2 replies" in comparison.markdown(compared)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": "gpt-5.4-mini"}, "at most 120 replies of 1000 tokens, 0.54 USD, and their prompts"),
        ({"model": "mine", "base_url": "http://localhost:1/v1"}, "120 replies of 1000 tokens, price unknown, and"),
        ({"model": "replies:answers.jsonl"}, ""),
        ({}, ""),
    ],
)
def test_what_a_sweep_may_cost_is_said_before_it_begins(
    settings: dict[str, str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    entries = [scores.Entry(run_id=name, task=make_task(id=name)) for name in ("a", "b")]
    asked = plan(rounds=10, samples=2, repairs=2, max_tokens=1000, **settings)
    _Progress(Console("plain"), asked.model_copy(update={"budget": "2usd"})).start(entries, Path("sweep"))
    _, *more = capsys.readouterr().err.splitlines()
    assert len(more) == bool(said)
    assert all(said in line and line.endswith("; no more than the budget, 2usd") for line in more)


def test_a_task_that_is_tried_again_counts_once_in_what_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    progress = _Progress(Console("plain"), plan(model="m"))
    progress.start([], Path("sweep"))
    failed = row(1, outcome="infra failed", why="no room", prompt_tokens=70, cost_usd=0.5, estimated=1)
    for each in (failed, row(2, 2.0), failed.model_copy(update={"outcome": "no win", "prompt_tokens": 90})):
        progress.ended(each)
    told = capsys.readouterr().err.splitlines()[-1]
    assert "(1 no win, 1 win; about 90 tokens, 0.50 USD; " in told
    assert told.startswith("  2/")
    progress.ended(row(3, 2.0, cost_usd=None))
    assert "; about 90 tokens, price unknown; " in capsys.readouterr().err, "never smaller than it may be"
