"""What a person sees on stderr while a command works."""

from __future__ import annotations

import pytest
from records import make_candidate, make_evaluation, make_task, make_win

from cuda_l1 import report
from cuda_l1.console import Console
from cuda_l1.types import Finding, Speedup, Verdict

SAID = "boo\x1b[2J\x1b]0;title\x07\r\nPASSED  FAST\u202e\x00 [red]"


def test_what_others_say_is_one_line_and_obeyed_by_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Console("plain")
    screen.say(f"  note: {SAID}")
    screen.on_event({"event": "model_note", "note": SAID})
    screen.on_event({"event": "repair_failed", "number": 1, "error": SAID + "x" * 1000})
    first, note, failed = capsys.readouterr().err.splitlines()
    assert first == "  note: boo[2J]0;title PASSED  FAST [red]"
    assert note == first
    assert failed.startswith("  no repair of attempt 1: boo [2J ]0;title PASSED FAST [red]x")
    assert len(failed) < 200


def test_a_cell_of_a_table_draws_no_row_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    Console("plain").table("", ("", "verdict"), [(SAID, "CRASHED")])
    shown = capsys.readouterr().err
    assert "boo [2J ]0;title PASSED FAST [red]" in shown
    assert "\x1b" not in shown


def test_the_status_line_says_what_is_at_work(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Console("rich")
    screen.doing("timing [a].py")
    screen.stop()
    assert "timing [a].py" in capsys.readouterr().err
    screen = Console("rich")
    screen.doing("timing \x1b]0;owned\x07\\[bold]a.py")
    screen.stop()
    assert "timing ]0;owned \\[bold]a.py" in capsys.readouterr().err, "a name is text"
    screen = Console("plain")
    screen.doing("timing [a].py")
    screen.stop()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("costs", "shown"), [((0.5, 0.25), "0.75 USD"), ((0.5, None), "20 tokens"), ((None, 0.5), "20 tokens")]
)
def test_one_unknown_price_makes_the_cost_unknown(
    costs: tuple[float | None, ...], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = Console("rich")
    for number, cost in enumerate(costs, 1):
        rest = dict.fromkeys(("repairs", "candidate_id", "parse_error"))
        screen.on_event({"event": "attempt", "tokens": 10 * number, "cost_usd": cost, "estimated": False} | rest)
    screen.doing("timing")
    screen.stop()
    said = capsys.readouterr().err
    assert shown in said
    assert ("USD" in said) == (None not in costs)


@pytest.mark.parametrize(
    ("proposed", "reasons", "shown"),
    [
        (["sdpa"], ["no norm", "no norm"], "transforms: sdpa"),
        ([], ["no norm", "no loop"], "transforms: none applies"),
        ([], ["fx cannot trace its forward", "fx cannot trace its forward"],
         "transforms: none applies: fx cannot trace its forward"),
    ],
)  # fmt: skip
def test_why_no_transform_applies_is_said_where_it_is_about_the_module(
    proposed: list[str], reasons: list[str], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    declined = [[f"technique {n}", reason] for n, reason in enumerate(reasons)]
    Console("plain").on_event({"event": "plan", "proposed": proposed, "declined": declined})
    assert capsys.readouterr().err.splitlines() == [shown]


@pytest.mark.parametrize(("hi", "said"), [(0.3, " (crowded)"), (1.3, "")])
def test_what_is_ambiguous_though_its_interval_is_not_says_why(
    hi: float, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    candidate = make_candidate(make_task(), author="inline")
    speedup, notes = Speedup(value=0.26, lo=0.22, hi=hi, vs="eager"), (Finding(check="crowded", detail="others"),)
    evaluation = make_evaluation(candidate, verdict=Verdict.AMBIGUOUS, speedup=speedup, notes=notes)
    entry = report.entry(candidate, evaluation)
    Console("plain").on_event({"event": "candidate", "reused": False, "best": False, **entry})
    assert capsys.readouterr().err.rstrip().endswith(f"0.26x [0.22, {hi:.2f}] vs eager{said}")


def test_what_a_record_was_confirmed_by_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """The lower of two words counts, and where that is the first one its line would be the same twice."""
    candidate = make_candidate(make_task(), author="inline")
    notes = tuple(Finding(check="repeated", detail=said) for said in ("9x, then 8x against eager", "8x, then 11x"))
    entry = report.entry(candidate, make_win(candidate, 8.0, notes=notes))
    Console("plain").on_event({"event": "confirmation", "reused": False, "best": True, **entry})
    shown = capsys.readouterr().err
    assert "again inline" in shown
    assert shown.rstrip().endswith("(8x, then 11x)   <- best")
