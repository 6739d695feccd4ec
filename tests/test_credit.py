"""A model's code that a transform writes too is the transform's, and other code is the model's."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from records import make_evaluation, make_task, make_win

from cuda_l1 import identity, report, search, transforms
from cuda_l1.archive import Archive
from cuda_l1.config import OptimizeConfig
from cuda_l1.judge import JudgeConfig
from cuda_l1.search import credit
from cuda_l1.types import Candidate, Evaluation, Status

SOURCE = """
import torch
import torch.nn.functional as F

SIZES = {"cpu": 8}
WIDTH = 8


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        \"\"\"Twice the same.\"\"\"
        return F.relu(x.cumsum(0) * 2.0) + F.relu(x.cumsum(0) * 2.0)


def get_inputs():
    return [torch.randn(WIDTH)]


def get_init_inputs():
    return []
"""
TASK = make_task("local/twice", SOURCE)
JUDGING = JudgeConfig(device="cpu", effort="quick", baselines=())


@pytest.fixture(scope="module")
def theirs() -> transforms.Proposal:
    return next(each for each in transforms.every(TASK, "cpu") if each.technique == "common_subexpressions")


def reworded(code: str) -> str:
    """Other names, imports, comments and layout, and nothing of what is not used."""
    changed = code.replace("import torch.nn.functional as F", "from torch.nn import functional as fn")
    changed = changed.replace("F.relu", "fn.relu").replace("_as_written", "_plain").replace("x: torch.Tensor", "given")
    changed = changed.replace("return self._plain(x)", "# the plain one\n\n            return self._plain(given)")
    changed = changed.replace("(x.", "(given.").replace("x.cumsum", "given.cumsum").replace("x.shape", "given.shape")
    return changed.replace("SIZES = {'cpu': 8}\n", "").replace("WIDTH = 8\n", "")


def of_model(code: str) -> Candidate:
    return Candidate(task_id=TASK.id, code=code, origin="llm", author="builtin")


class Judge:
    """A session in which all is faster."""

    def evaluate(self, candidate: Candidate, *, won: Evaluation | None = None) -> Evaluation:
        return make_win(candidate, 2.0, max_error=0.0, reference_error=0.0)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[search.Run]:
    with Archive(tmp_path / "archive.sqlite") as archive:
        config = OptimizeConfig(out=str(tmp_path / "runs"), transforms="none", model="builtin")
        run = search.Run(TASK, config, JUDGING, archive)
        run.open()
        yield run


def carried(run: search.Run, code: str) -> tuple[Any, str]:
    judge: Any = Judge()
    candidate = of_model(code)
    run.archive.add_candidate(candidate, TASK)
    run.judge(judge, candidate)
    run.confirm(judge)
    return run.finish("done").summary, (run.folder / "best.py").read_text()


@pytest.mark.parametrize("change", [str, reworded])
def test_a_transforms_code_is_credited_to_it_wherever_the_best_is_shown(
    run: search.Run, theirs: transforms.Proposal, change: Any
) -> None:
    code = change(theirs.candidate.code)
    assert (change is str) == (code == theirs.candidate.code)
    summary, best = carried(run, code)
    assert summary["best"]["same_as"] == summary["candidates"][0]["same_as"] == "transform common_subexpressions"
    told = [json.loads(line) for line in (run.folder / "events.jsonl").read_text().splitlines()]
    same = [event["same_as"] for event in told if event["event"] in ("candidate", "confirmation")]
    assert same == ["transform common_subexpressions"] * 2
    words = "builtin, same code as transform common_subexpressions"
    assert words in report.headline(summary)
    assert words in report.markdown(summary)
    assert "the same code as transform common_subexpressions" in best
    assert json.loads((run.folder / "result.json").read_text())["best"]["same_as"] is not None


def test_a_transforms_plain_code_is_its_own_too(run: search.Run) -> None:
    plain = transforms.propose(TASK, "cpu", ["common_subexpressions"], plain=True)[0][0].candidate.code
    assert "_as_written" not in plain
    assert carried(run, plain)[0]["best"]["same_as"] == "transform common_subexpressions"


def test_the_task_itself_under_torch_compile_is_a_transforms_and_no_more_than_that(run: search.Run) -> None:
    copied = SOURCE.replace("class Model(", "class ModelNew(")
    compiled = copied.replace("    def forward", "    @torch.compile(dynamic=False)\n    def forward")
    assert carried(run, compiled)[0]["best"]["same_as"] == "transform compiled_forward"
    for code in (copied, compiled.replace("* 2.0", "* 2.0 * 1.0", 1)):
        candidate = of_model(code)
        assert credit.Credit(TASK, "cpu").noted(candidate, make_evaluation(candidate)).notes == ()


def test_constants_that_the_constructors_arguments_are_named_after_are_no_part_of_the_code() -> None:
    """KernelBench's layout; a policy writes the class alone."""
    sizes = "width, height = 8, 8\nscale = 2.0\n\n\nclass Model("
    source = SOURCE.replace("class Model(", sizes).replace("* 2.0", "* self.scale").replace(
        "    def forward", "    def __init__(self, width, scale):\n        super().__init__()\n"
        "        self.scale = scale\n\n    def forward").replace("return []", "return [width, scale]")  # fmt: skip
    task = make_task("local/named", source)
    kind = ast.unparse(next(node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)))
    alone = f"import torch\nimport torch.nn.functional as F\n\n{kind}".replace("class Model(", "class ModelNew(")
    compiled = alone.replace("    def forward", "    @torch.compile(dynamic=False)\n    def forward")
    literal, twice = compiled.replace("* self.scale", "* 2.0"), f"{alone}\n\n{compiled}"
    extended = compiled.replace("(torch.nn.Module)", "(ModelNew)")
    for code, credited in (
        (compiled, True), (literal, True), (twice, True),
        (literal.replace("2.0", "3.0"), False), (f"{compiled}\n\n{alone}", False),
        (compiled.replace("= scale", "= width"), False), (f"{alone}\n\n{extended}", False),
    ):  # fmt: skip
        candidate = of_model(code).model_copy(update={"task_id": task.id})
        assert bool(credit.Credit(task, "cpu").noted(candidate, make_evaluation(candidate)).notes) == credited


def test_a_constructor_that_only_holds_constants_is_read() -> None:
    code = "class ModelNew:\n    def __init__(self, n):\n        self.n = n\n\n    def forward(self, x): return x * {}"
    assert identity.used(code.format("self.n"), "ModelNew", (2,)) == identity.used(code.format(2), "ModelNew", (2,))


def test_a_constant_that_a_class_body_reads_before_it_binds_the_name_is_part_of_the_code() -> None:
    one, two = (f"scale = {n}\nclass Model:\n    scale = scale\n" for n in (2.0, 3.0))
    assert identity.used(one, "Model") != identity.used(two, "Model")


def test_other_code_is_the_models_own(run: search.Run, theirs: transforms.Proposal) -> None:
    own = theirs.candidate.code.replace("* 2.0", "* 2.0 * 1.0")
    assert own != theirs.candidate.code
    summary, best = carried(run, own)
    assert summary["best"]["same_as"] is None
    assert "same code" not in report.headline(summary) + report.markdown(summary) + best


def test_a_transform_is_not_the_same_as_itself(run: search.Run, theirs: transforms.Proposal) -> None:
    judge: Any = Judge()
    run.judge(judge, theirs.candidate)
    run.judge(judge, of_model(theirs.candidate.code))
    summary = run.finish("done").summary
    assert [(row["origin"], row["same_as"]) for row in summary["candidates"]] == [("transform", None)]


def test_a_transform_that_meets_its_code_under_a_models_name_has_the_credit(
    run: search.Run, theirs: transforms.Proposal
) -> None:
    judge: Any = Judge()
    run.archive.add_candidate(of_model(theirs.candidate.code), TASK)  # by an earlier run
    run.judge(judge, theirs.candidate)
    [row] = run.finish("done").summary["candidates"]
    assert (row["author"], row["same_as"]) == ("builtin", "transform common_subexpressions")


def test_transforms_are_written_only_for_what_passed_and_once(
    theirs: transforms.Proposal, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def every(task: Any, device: str) -> list[transforms.Proposal]:
        asked.append(device)
        return [theirs]

    monkeypatch.setattr(transforms, "every", every)
    known = credit.Credit(TASK, "cpu")
    mine = of_model(theirs.candidate.code)
    known.noted(mine, make_evaluation(mine, Status.WRONG_OUTPUT))
    known.noted(theirs.candidate, make_evaluation(theirs.candidate))
    assert asked == []
    noted = known.noted(mine, make_evaluation(mine))
    assert [note.check for note in noted.notes] == ["same_as"]
    assert known.noted(mine, noted) == noted
    assert asked == ["cpu"]


WRITTEN_IN = """
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, end="\\\\"):
        super().__init__()
        self.said = f"{end}"

    def forward(self, x):
        return x
"""
"""Python 3.11 writes no backslash into the expression of an f-string."""


@pytest.mark.parametrize("is_deep", [True, False])
def test_code_that_cannot_be_written_out_is_left_to_its_author(theirs: transforms.Proposal, is_deep: bool) -> None:
    deep = theirs.candidate.code.replace("* 2.0", "* 2.0" + " + 0" * 3000, 1)
    mine = of_model(deep if is_deep else WRITTEN_IN)
    evaluation = make_evaluation(mine)
    assert credit.Credit(TASK, "cpu").noted(mine, evaluation) == evaluation


def test_marks_of_an_encoding_are_no_part_of_the_code(theirs: transforms.Proposal) -> None:
    """A model may write several; the judge's file has one."""
    mine = of_model("\ufeff" + theirs.candidate.code)
    assert [note.check for note in credit.Credit(TASK, "cpu").noted(mine, make_evaluation(mine)).notes] == ["same_as"]


def test_rows_of_earlier_versions_have_no_credit_to_show() -> None:
    candidate = of_model("class ModelNew: pass")
    row = report.entry(candidate, make_evaluation(candidate))
    del row["same_as"]
    assert report.cells(row).who == "builtin (llm)"


def test_what_acts_by_being_there_is_part_of_the_code() -> None:
    plain = "import torch\nclass ModelNew:\n    def forward(self, x):\n        return torch.relu(x)\n"
    unused = plain + "def helper(x):\n    return x\nWIDTH = 3\n"
    acting = plain + "torch.set_num_threads(1)\n"
    called = plain + "done = torch.set_num_threads(1)\n"
    assert identity.used(unused, "ModelNew") == identity.used(plain, "ModelNew")
    assert len({identity.used(code, "ModelNew") for code in (plain, acting, called)}) == 3
    written = plain.replace("import torch\n", "from torch import relu as r\n").replace("torch.relu", "r")
    assert identity.used(written, "ModelNew") == identity.used(plain, "ModelNew")
