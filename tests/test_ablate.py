"""Ablations: what is judged and told, and one real ablation of a tiny task from the command line."""

import json
import math

import pytest
from records import make_candidate, make_evaluation, make_task, within
from wastes import SWITCHED, TASK

from cuda_l1.ablate import page, plans, study
from cuda_l1.archive import Archive
from cuda_l1.cli import main
from cuda_l1.judge import JudgeConfig
from cuda_l1.types import Finding, Status

# What is told.


def judged_plan(statuses=()):
    """A plan of two parts with evaluations, all passed but for those given."""
    task = make_task()
    plan = plans.of_switches(make_candidate(task, SWITCHED, origin="human", author="mine.py"), [], 16)
    speedups = {2: within(6, 0.01), 0: within(1, 0.01), 1: within(2, 0.01)}
    evaluations = {
        variant.subset: make_evaluation(
            variant.candidate, speedup_eager=speedups[len(variant.subset)], degenerate="degenerate" in statuses
        )
        for variant in plan.variants
    }
    return task, plan, evaluations


def told(tmp_path, task, plan, evaluations, *, interrupted=False):
    words = {evaluation.candidate_id: [evaluation] for evaluation in evaluations.values()}
    with Archive(tmp_path / "archive.sqlite") as archive:
        this = study.Study(task, JudgeConfig(), archive, "run")
        return study.summary(this, plan, study.Judged(words, interrupted))


def test_a_summary_says_what_multiplies_and_reads_as_a_page(tmp_path):
    total = told(tmp_path, *judged_plan())
    assert total["outcome"] == "measured"
    assert total["analysis"]["interaction"]["says"] == "help"
    text = page.markdown(total)
    assert "| all: NO_FIRST + NO_SECOND | PASSED | 1x | 11.00 µs | 6.00x" in text
    assert "the factor between is 1.50x" in text
    assert "they help each other" in text
    json.dumps(total, allow_nan=False)


def test_what_keeps_a_table_from_being_one_is_told(tmp_path):
    task, plan, evaluations = judged_plan()
    whole = plan.variants[0]
    for status, outcome in ((Status.WRONG_OUTPUT, "does not pass"), (Status.INFRA_FAILED, "not judged")):
        failed = evaluations | {whole.subset: make_evaluation(whole.candidate, status)}
        total = told(tmp_path, task, plan, failed)
        assert total["outcome"] == outcome
        assert total["analysis"]["together"] is None
        assert page.sentences(total)[0] == page._WHY[outcome]
    partly = {whole.subset: evaluations[whole.subset]}
    total = told(tmp_path, task, plan, partly, interrupted=True)
    assert (total["outcome"], total["subsets"][1]["status"]) == ("interrupted", None)
    assert told(tmp_path, *judged_plan(["degenerate"]))["outcome"] == "degenerate"


def test_a_variant_that_fails_is_a_row_and_leaves_a_gap(tmp_path):
    task, plan, evaluations = judged_plan()
    broken = plan.variants[-1]
    finding = Finding(check="error", detail="off by 1")
    evaluations[broken.subset] = make_evaluation(broken.candidate, Status.WRONG_OUTPUT, findings=(finding,))
    total = told(tmp_path, task, plan, evaluations)
    assert total["outcome"] == "measured"
    assert total["analysis"]["together"]["value"] == pytest.approx(6)
    assert total["analysis"]["interaction"] is None
    assert "off by 1" in page.markdown(total)


def archived(archive, task, plan, words):
    """The archive with these words of the run, in order."""
    for variant in plan.variants:
        archive.add_candidate(variant.candidate, task)
    for evaluation in words:
        archive.add_evaluation(evaluation, config_digest="digest", run_id="run")


CROWDED = Finding(check="crowded", detail="other programs had 1.5 of 2 CPU cores")


def test_known_words_start_no_judge(tmp_path):
    task, plan, evaluations = judged_plan()
    with Archive(tmp_path / "archive.sqlite") as archive:
        this = study.Study(task, JudgeConfig(), archive, "run", on_judged=lambda *_: pytest.fail("judged again"))
        study.start(this, {})
        archived(archive, task, plan, [*evaluations.values()] * 2)
        found = study.judge(this, plan)
        assert {name: len(words) for name, words in found.words.items()} == {
            variant.candidate.id: 2 for variant in plan.variants
        }
        assert (found.interrupted, found.due) == (False, 0)
        total = study.summary(this, plan, found)
    assert [row["judged"] for row in total["subsets"]] == [2] * 4
    assert total["repeats"] == {"log_deviation": pytest.approx(0), "degrees_of_freedom": 4}


def test_what_is_due():
    passed = make_evaluation(make_candidate(make_task()))
    crowded = passed.model_copy(update={"notes": (CROWDED,)})
    wrong = make_evaluation(make_candidate(make_task()), Status.WRONG_OUTPUT)
    ours = make_evaluation(make_candidate(make_task()), Status.INFRA_FAILED)
    for words, passes in (([], 2), ([passed], 1), ([crowded, ours], 2), ([passed, crowded], 1), ([wrong], 0)):
        assert sum(study._is_due(words, number) for number in range(2)) == passes
    assert study._settled([crowded, passed, ours, crowded]) == [passed]
    assert study._settled([ours, crowded, ours]) == [crowded]
    assert study._settled([ours]) == [ours]


def test_a_crowded_machine_is_told(tmp_path):
    task, plan, evaluations = judged_plan()
    crowded = evaluations[frozenset()].model_copy(update={"notes": (CROWDED,)})
    words = {e.candidate_id: [e] for e in (evaluations | {frozenset(): crowded}).values()}
    with Archive(tmp_path / "archive.sqlite") as archive:
        this = study.Study(task, JudgeConfig(), archive, "run")
        total = study.summary(this, plan, study.Judged(words, interrupted=False, due=1))
    assert "1 measurements do not count" in " ".join(page.sentences(total))
    assert "1.5 of 2 CPU cores" in page.markdown(total)


def test_a_part_that_makes_it_no_win_says_so(tmp_path):
    task, plan, evaluations = judged_plan()
    note = Finding(check="weights_by_seed", detail="it lacks `scale`")
    words = {e.candidate_id: [e.model_copy(update={"notes": (note,)})] for e in evaluations.values()}
    with Archive(tmp_path / "archive.sqlite") as archive:
        this = study.Study(task, JudgeConfig(), archive, "run")
        total = study.summary(this, plan, study.Judged(words, interrupted=False))
    assert "weights_by_seed: it lacks" in page.markdown(total)


# The command.


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Runs `cuda-l1 ablate` in a folder with a task and a candidate; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "task.py").write_text(TASK)
    (tmp_path / "switched.py").write_text(SWITCHED)
    (tmp_path / "plain.py").write_text(TASK.replace("Model(", "ModelNew("))

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main(["ablate", *arguments, "--device", "cpu", "--effort", "glance", "--archive", "archive.sqlite"])
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return run


@pytest.mark.slow
def test_a_real_ablation_and_its_continuation(command, tmp_path):
    code, out, err = command("task.py", "switched.py", "--repeats", "1", "--json")
    total = json.loads(out)
    assert (code, total["outcome"]) == (0, "measured"), err
    assert [row["status"] for row in total["subsets"]] == ["PASSED"] * 4
    together = total["analysis"]["together"]
    assert together["lo"] <= together["value"] <= together["hi"]
    shares = [effect["shapley"]["value"] for effect in total["analysis"]["effects"]]
    assert math.prod(shares) == pytest.approx(together["value"])
    folder = tmp_path / total["folder"]
    assert json.loads((folder / "ablation.json").read_text())["analysis"] == total["analysis"]
    assert "# task" in (folder / "ablation.md").read_text()

    with Archive(tmp_path / "archive.sqlite") as archive:
        words = archive.evaluations(total["run_id"])
    assert len(words) == 4
    if all(word.is_lasting for word in words):  # a crowded machine has its subsets measured again
        code, out, err = command("task.py", "switched.py", "--repeats", "1")
        assert (code, "vs eager\n" in err) == (0, False), "nothing is judged again"
        assert "all: NO_FIRST + NO_SECOND" in out
        assert "it is" in out


def test_two_at_once_do_not_share_a_folder(command, monkeypatch):
    second = []

    def meanwhile(this, plan):
        second.append(command("task.py", "switched.py"))
        return study.Judged({}, interrupted=True)

    monkeypatch.setattr(study, "judge", meanwhile)
    command("task.py", "switched.py")
    [(code, out, err)] = second
    assert (code, out) == (2, "")
    assert "is in use by another ablate of the same candidate: wait for it" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["task.py", "plain.py"], "declares no PARTS"),
        (["task.py", "switched.py", "--parts", "NONE"], "--parts NONE: the candidate declares NO_FIRST"),
        (["task.py", "missing.py"], "no candidate missing.py"),
        (["task.py", "switched.py", "--out", "task.py"], "name another with --out"),
        (["task.py", "switched.py", "--most", "2"], "greater than or equal to 3"),
        (["task.py", "plain.py", "--model", "any", "--parts", "A"], "with --model the model names them"),
    ],
)
def test_a_wrong_request_is_told(command, arguments, said):
    code, out, err = command(*arguments)
    assert code == 2
    assert out == ""
    assert said in err
