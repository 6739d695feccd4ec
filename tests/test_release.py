"""The numbers of a release, checked by hand, and how its results are kept: on records, nothing is judged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from records import make_evaluation
from test_claims import FAST, release_line

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import compare_first_look
import judged_twice

from cuda_l1 import claims, release
from cuda_l1.errors import CannotJudgeError, UsageError
from cuda_l1.judge import JudgeConfig
from cuda_l1.types import Evaluation, Finding, Interval, Speedup, Status, Verdict


class Book:
    """A release of ten rows and what is known of them."""

    def __init__(self, folder: Path) -> None:
        self.rows = ["1/1", "1/2", "2/1", "2/2", "2/3", "2/4", "2/5", "3/1", "3/2", "3/3"]
        scores = [1.8, 16.0, 0.5, 2.0, 3.0, 4.0, None, 2.0, 2.0, 2.0]
        codes = [None if row in ("2/4", "2/5") else f"{FAST}# {row}\n" for row in self.rows]
        path = folder / "book.json"
        path.write_text("\n".join(map(release_line, self.rows, codes, scores)))
        self.claims = claims.load(f"cuda-l1:{path}")
        self.config = JudgeConfig()
        self.listing = claims.listing(self.claims, f"cuda-l1:{path}", self.config)
        self.by_row = {claim.row: claim for claim in self.claims}

    def evaluation(self, row: str, status: Status = Status.PASSED, **fields: Any) -> Evaluation:
        candidate = self.by_row[row].candidate
        assert candidate is not None
        return make_evaluation(candidate, status, **fields)

    def passed(self, row: str, eager: float, best: float, spread: float, **fields: Any) -> Evaluation:
        return self.evaluation(
            row,
            speedup=Speedup(value=best, lo=best, hi=best, vs="compile" if best < eager else "eager"),
            speedup_eager=Interval(value=eager, lo=eager - spread, hi=eager + spread),
            **fields,
        )

    def outcomes(self) -> dict[str, claims.Outcome]:
        finding = (Finding(check="output_overwritten", detail="x | y"),)
        return {
            "1/1": [self.passed("1/1", 2.0, 1.5, 0.1, verdict=Verdict.FAST, labels=("kernel",))],
            "1/2": [self.passed("1/2", 8.0, 4.0, 0.5, verdict=Verdict.FAST, labels=("kernel", "algebra"))],
            "2/1": [self.passed("2/1", 0.5, 0.5, 0.1, verdict=Verdict.SLOW)],
            "2/2": [self.passed("2/2", 100.0, 100.0, 1.0, verdict=Verdict.AMBIGUOUS, degenerate=True)],
            "2/3": [self.evaluation("2/3", Status.REJECTED, findings=finding)],
            "3/1": [self.evaluation("3/1", Status.INFRA_FAILED, findings=finding)],
            "3/2": CannotJudgeError("a judging process died"),
        }


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path)


def total_of(book: Book, folder: Path, outcomes: Mapping[str, claims.Outcome], **chosen: Any) -> dict[str, Any]:
    with claims.opened(folder / "out", book.listing) as results:
        for row, outcome in outcomes.items():
            results.add(row, outcome)
    return release.summary(*claims.read(folder / "out"), **chosen)


def test_numbers_are_over_what_passed(book: Book, tmp_path: Path) -> None:
    total = total_of(book, tmp_path, book.outcomes())
    assert total["counts"]["by_outcome"] == {
        "PASSED": 4, "REJECTED": 1, "no code": 2, "INFRA_FAILED": 1, "not judged": 1, "left": 1,
    }  # fmt: skip
    assert (total["counts"]["judged"], total["counts"]["counted"], total["degenerate"]) == (5, 4, ["2/2"])
    assert total["counts"]["by_verdict"] == {"FAST": 2, "SLOW": 1, "AMBIGUOUS": 1}
    assert total["counts"]["best_baseline"] == {"compile": 2, "eager": 1}
    eager, best = total["all"]["eager"], total["all"]["best"]
    assert (eager["n"], eager["geomean"]["value"], eager["median"]["value"]) == (3, pytest.approx(2.0), 2.0)
    assert (eager["mean"]["value"], eager["quartiles"]) == (pytest.approx(3.5), [1.25, 5.0])
    assert (eager["max"]["value"], eager["top_share"]) == (8.0, 1.0)
    assert best["geomean"]["value"] == pytest.approx(3.0 ** (1 / 3))
    faster = {p: each["tasks"] for p, each in total["all"]["fast_p_eager"].items()}
    assert faster == {"1.01": 2, "1.5": 2, "2": 1, "5": 1}
    assert total["all"]["fast_p_best"]["1.5"] == {"tasks": 1, "share": 0.25}
    assert {level: (its["judged"], its["passed"]) for level, its in total["by_level"].items()} == {
        "1": (2, 2), "2": (2, 1), "3": (0, 0),
    }  # fmt: skip
    assert {label: its["passed"] for label, its in total["by_label"].items()} == {
        "algebra": 1, "kernel": 2, "no label": 1,
    }  # fmt: skip
    assert total["by_label"]["kernel"]["eager"]["geomean"]["value"] == pytest.approx(4.0)


def test_what_is_no_win_by_its_nature_is_told_as_measured_and_as_it_counts(book: Book, tmp_path: Path) -> None:
    """However fast: other weights could not be tried, and who keeps what is made of them is faster without end."""
    note = Finding(check="weights_by_seed", detail="state_dict lacks weight")
    word = book.passed("1/1", 60.0, 60.0, 1.0, verdict=Verdict.AMBIGUOUS, notes=(note,))
    total = total_of(book, tmp_path, {"1/1": [word]})
    assert total["claims"]["measured_geomean"] == pytest.approx(60.0)
    assert total["all"]["credited_geomean"] == {"eager": 1.0, "best": 1.0}
    assert "counts as 1x at most, the geometric mean is 1.00x vs eager and 1.00x" in release.markdown(total)


def test_claims_stand_beside_measurements_of_the_same_rows(book: Book, tmp_path: Path) -> None:
    stand = total_of(book, tmp_path, book.outcomes())["claims"]
    assert (stand["met"], stand["missed"], stand["uncertain"]) == (1, 1, 1)
    assert (stand["failed"], stand["degenerate"], stand["without_code"], stand["not_judged"]) == (1, 1, 1, 3)
    assert stand["claimed"] == 9 == sum(count for name, count in stand.items() if name in (
        "met", "missed", "uncertain", "failed", "degenerate", "without_code", "not_judged"))  # fmt: skip
    assert stand["compared"] == 3
    assert stand["claimed_geomean"] == pytest.approx(14.4 ** (1 / 3))
    assert stand["measured_geomean"] == pytest.approx(2.0)
    assert (stand["claimed_mean"], stand["claimed_median"]) == (pytest.approx(6.1), 1.8)


@pytest.mark.parametrize(
    ("only", "code"),
    [
        (["1/1"], 0), (["1/1", "2/5"], 0), (["1/1", "1/2"], 1), (["2/3"], 1), (["2/1"], 3), (["2/2"], 3), (["2/4"], 3),
        (["3/1"], 3), (["3/2"], 3), (["2/3", "3/2"], 1), (["3/3", "2/3"], 3),
    ],
)  # fmt: skip
def test_exit_codes(book: Book, tmp_path: Path, only: list[str], code: int) -> None:
    assert total_of(book, tmp_path, book.outcomes(), only=only)["exit_code"] == code


def test_what_could_not_be_judged_is_no_yes_without_a_claim_either(book: Book, tmp_path: Path) -> None:
    listing = book.listing
    book.listing = listing.model_copy(
        update={"rows": tuple(row.model_copy(update={"claimed": None}) for row in listing.rows)}
    )
    for only, code in ((["3/2"], 3), (["1/1", "3/2"], 3), (["2/4"], 0), (["1/1", "2/4"], 0)):
        assert total_of(book, tmp_path, book.outcomes(), only=only)["exit_code"] == code


def test_the_page_has_every_row_and_the_command(book: Book, tmp_path: Path) -> None:
    page = release.markdown(total_of(book, tmp_path, book.outcomes()))
    assert (
        "| 1/1 | 1.80x | 2.00x [1.90, 2.10] | 1.50x [1.50, 1.50] compile | PASSED | FAST | met | kernel | 7 |  |"
        in page
    )
    assert r"| 2/3 | 3.00x | – | – | REJECTED | – | – | – | 7 | output_overwritten: x \| y |" in page
    assert "| 2/4 | 4.00x | – | – | no code |" in page
    assert "In brackets: the same of the lower ends of the rows' 95% intervals" in page
    assert "by the value alone, whatever the verdict" in page
    assert "| 3/2 | 2.00x | – | – | not judged | – | – | – | – | CannotJudgeError: a judging process died |" in page
    file = tmp_path / "book.json"
    assert f"verify --claims cuda-l1:{file} --only ROW --seed SEED --device cpu --effort normal" in page
    empty = release.markdown(total_of(book, tmp_path / "empty", {}))
    assert "8 left, 2 no code" in empty


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("codes/book.json", "cuda-l1:codes/book.json"),
        ("my codes/book.json", "'cuda-l1:my codes/book.json'"),
        ("\udcff/book.json", "'cuda-l1:\ufffd/book.json'"),
    ],
)
def test_the_command_names_the_file_as_it_was_typed(book: Book, tmp_path: Path, typed: str, shown: str) -> None:
    with claims.opened(tmp_path / "out", claims.listing(book.claims, f"cuda-l1:{typed}", book.config)):
        total = release.summary(*claims.read(tmp_path / "out"))
    assert total["release"] == "book.json"
    assert f"cuda-l1 verify --claims {shown} --only ROW" in release.command(total)


def test_the_page_says_whose_tasks_they_are(book: Book, tmp_path: Path) -> None:
    assert "the release's own `ref_code`, which is trusted" in release.markdown(total_of(book, tmp_path, {}))


def test_a_page_of_one_row_says_so(book: Book, tmp_path: Path) -> None:
    page = release.markdown(total_of(book, tmp_path, book.outcomes(), only=["1/1"]))
    assert "1 speedup is claimed: 1 met, " in page
    assert "Over the same 1 row, which passed:" in page


def test_a_row_that_does_not_compile_says_why(book: Book, tmp_path: Path) -> None:
    printed = f"Error building extension 'k': c++ {'-I/opt ' * 100}\n/opt/main.cpp:3:5: error: 'y' was not declared\n"
    failed = book.evaluation("2/3", Status.BUILD_FAILED, findings=(Finding(check="build", detail=printed),))
    page = release.markdown(total_of(book, tmp_path, {"2/3": [failed]}))
    assert "| 7 | build: main.cpp:3:5: error: 'y' was not declared |" in page


def earlier_look(row: str, speedup: float, **fields: Any) -> dict[str, Any]:
    level, task = row.split("/")
    errors = ("max_rel_error", "error_same_address_new_values", "error_other_distribution", "error_new_weights")
    flags = ("output_same_for_two_seeds", "earlier_output_overwritten_by_next_call")
    named = {"level": int(level), "task": int(task), "speedup_host": speedup}
    return named | dict.fromkeys(errors, 0.0) | dict.fromkeys(flags, False) | fields


def test_disagreements_with_an_earlier_look(book: Book, tmp_path: Path) -> None:
    rows = total_of(book, tmp_path, book.outcomes())["rows"]
    earlier = [
        earlier_look("1/1", 2.39, error_new_weights=None),  # within 20%
        earlier_look("1/2", 9.7, error_new_weights="not tried"),
        earlier_look("2/1", 0.5, error_other_distribution=float("nan")),
        earlier_look("2/2", 100.0, output_same_for_two_seeds=True),
        earlier_look("2/3", 3.0, earlier_output_overwritten_by_next_call=True),
        {"level": 3, "task": 1, "failed": "no such class"},
        earlier_look("3/3", 2.0),  # we have no word yet
        earlier_look("2/4", 2.0),  # there is no code
    ]
    found = {each.row: each for each in compare_first_look.differences(rows, earlier)}
    assert {row: each.what for row, each in found.items()} == {"1/2": "speedup", "2/1": "status", "3/1": "status"}
    assert found["1/2"].reason == "measured 8.00x [7.50, 8.50]; labels kernel, algebra"
    assert (found["2/1"].earlier.kind, found["2/1"].ours.kind) == ("wrong", "passed")
    page = compare_first_look.render(rows, earlier)
    assert "6 rows with a word of both; 3 disagreements." in page
    assert "| 1/2 | speedup | passed | 9.7x | passed | 8x |" in page


def test_two_words_on_the_same_rows(book: Book, tmp_path: Path) -> None:
    before = book.outcomes() | {"3/2": [book.passed("3/2", 1.0, 1.0, 0.1)]}
    quick = claims.listing(book.claims, "cuda-l1:book.json", JudgeConfig(effort="quick"))
    with claims.opened(tmp_path / "out", quick) as results:
        for row, outcome in before.items():
            results.add(row, outcome)
    error = (Finding(check="error", detail="2 | 3"),)
    wider = {
        "1/2": [book.passed("1/2", 10.0, 4.0, 1.0, verdict=Verdict.AMBIGUOUS)],
        "2/1": [book.evaluation("2/1", Status.WRONG_OUTPUT, findings=error)],
    }
    total = total_of(book, tmp_path, book.outcomes() | wider)
    found = judged_twice.pairs(judged_twice.before(tmp_path / "out"), judged_twice.read(tmp_path / "out"))
    page = judged_twice.render(found)
    assert "5 rows with two words: 4 the same status; 3 passed twice." in page  # 3/1 and 3/2 lack one of the two
    assert "25.0% at most. Intervals without a common point: 1/2." in page
    assert "| FAST | AMBIGUOUS | 1 |" in page
    assert "| 2/1 | PASSED SLOW 0.50x [0.50, 0.50] eager | WRONG_OUTPUT error: 2 \\| 3 |" in page
    (tmp_path / "page.md").write_text(release.markdown(total))
    again = judged_twice.pairs(judged_twice.read(tmp_path / "page.md"), judged_twice.read(tmp_path / "out"))
    assert judged_twice.render(again).startswith("5 rows with two words: 5 the same status; 3 passed twice.")
    assert [one.row for one in again if one.earlier != one.later] == []


def runner_of(asked: list[str], outcome: Callable[[str], claims.Outcome]) -> claims.Runner:
    """Answers each job from records, one at a time, and notes what it was asked."""

    def run(jobs: Any, config: JudgeConfig, workers: int) -> Any:
        for index, (task, _) in enumerate(jobs):
            row = task.id.removeprefix("cuda-l1/")
            asked.append(row)
            yield index, outcome(row)

    return run


def test_a_failure_of_ours_is_tried_again_after_the_others(book: Book, tmp_path: Path) -> None:
    asked: list[str] = []
    run = runner_of(asked, lambda row: [book.evaluation(row)])
    with claims.opened(tmp_path / "out", book.listing) as results:
        for row, outcome in book.outcomes().items():
            results.add(row, outcome)
        claims.judge_rows(claims.pending(book.claims, results, book.config), results, book.config, run, workers=1)
        assert asked == ["3/3", "3/1", "3/2"]
        assert not claims.pending(book.claims, results, book.config)
        seeded = book.config.model_copy(update={"seed": 5})
        assert len(claims.pending(book.claims, results, seeded)) == 8


def test_other_settings_judge_anew(book: Book, tmp_path: Path) -> None:
    total_of(book, tmp_path, book.outcomes())
    strict = book.config.model_copy(update={"effort": "strict"})
    with claims.opened(tmp_path / "out", claims.listing(book.claims, "cuda-l1:book.json", strict)) as results:
        assert not results.latest
    with claims.opened(tmp_path / "out", book.listing) as results:
        assert len(results.latest) == 7


def test_one_run_at_a_time_holds_a_folder(book: Book, tmp_path: Path) -> None:
    again = claims.opened(tmp_path / "out", book.listing)
    with claims.opened(tmp_path / "out", book.listing), pytest.raises(UsageError, match="in use by another"), again:
        pass
    path = tmp_path / "out" / "results.jsonl"
    path.write_text("{}\n")
    with pytest.raises(UsageError, match="line 1 does not read"), claims.opened(tmp_path / "out", book.listing):
        pass
