"""What of a task is changed, and which changes the judge tells."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from linear import HEAD
from place import Place
from records import make_candidate, make_evaluation, make_task

from cuda_l1.cli.mutants import exit_code, row_of
from cuda_l1.errors import TaskError
from cuda_l1.mutants import Mutant, mutants
from cuda_l1.types import Status

LIMITED = HEAD + (
    "class Model(nn.Module):\n"
    "    def forward(self, x, there):\n"
    "        there = there != 0\n"
    "        low = x.clamp(min=-2, max=2)\n"
    "        kept = torch.where(there, low, 0.0)\n"
    "        for _ in range(8):\n"
    "            kept = kept + 0.1\n"
    "        return kept.sum(dim=1) / (kept.abs().sum(dim=1) + 1e-3)\n\n"
    "def get_inputs():\n    return [torch.randn(16, 32), torch.randint(0, 2, (16, 32))]\n\n"
    "def get_init_inputs():\n    return []\n"
)


FOR_ALL, FROM_FIRST = "the first of its rows for all", "what it was in the first call"


def _found(source: str) -> set[tuple[str, str]]:
    """But for what is done to arguments, which is the same in every task."""
    every = {(mutant.was, mutant.now) for mutant in mutants(source)}
    arguments = {was for was, now in every if now == FOR_ALL}
    return {(was, now) for was, now in every if was not in arguments or now not in (FOR_ALL, FROM_FIRST)}


def test_each_limit_mask_term_and_step_is_left_out_once() -> None:
    assert _found(LIMITED) == {
        ("there != 0", "always"),
        ("there != 0", FROM_FIRST),
        ("x.clamp(min=-2, max=2)", "(x)"),
        ("-2", "None"),
        ("2", "None"),
        ("x.clamp(min=-2, max=2)", FROM_FIRST),
        ("torch.where(there, low, 0.0)", "(low)"),
        ("torch.where(there, low, 0.0)", FROM_FIRST),
        ("range(8)", "without the last step"),
        ("range(8)", "without the last eighth"),
        ("kept + 0.1", "(kept)"),
        ("kept.sum(dim=1) / (kept.abs().sum(dim=1) + 1e-3)", "(kept.sum(dim=1))"),
        ("kept", "without the last eighth"),
        ("kept.abs()", "without the last eighth"),
        ("kept.abs()", "(kept)"),
        ("kept.abs().sum(dim=1) + 1e-3", "(kept.abs().sum(dim=1))"),
        ("1e-3", "0.0"),
    }


def _outputs(code: str, inputs: list[torch.Tensor]) -> torch.Tensor:
    names: dict[str, object] = {}
    exec(code, names)
    out = names["ModelNew"]().forward(*inputs)  # type: ignore[operator]
    assert isinstance(out, torch.Tensor)
    return out


def test_every_mutant_runs_and_gives_something_else() -> None:
    inputs = [3 * torch.randn(16, 32), torch.randint(0, 2, (16, 32))]
    expected = _outputs(LIMITED + "\nclass ModelNew(Model):\n    pass\n", inputs)
    same = {each.was for each in mutants(LIMITED) if torch.equal(_outputs(each.code, inputs), expected)}
    assert same == {each.was for each in mutants(LIMITED) if each.now == FROM_FIRST}


@pytest.mark.parametrize("product", ["a @ b", "torch.matmul(a, b)"])
@pytest.mark.parametrize("shapes", [((3, 16), (16,)), ((16,), (16, 3)), ((16,), (16,)), ((2, 3, 16), (2, 16, 3))])
def test_a_product_is_of_fewer_terms(product: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    task = HEAD + f"class Model(nn.Module):\n    def forward(self, a, b):\n        return {product}\n"
    (less,) = (each for each in mutants(task) if each.was.replace("torch.matmul(a, b)", "a @ b") == "a @ b")
    a, b = (torch.ones(shape) for shape in shapes)
    assert less.now == "without the last eighth"
    assert torch.equal(_outputs(less.code, [a, b]), a @ b - 2)


def test_what_is_kept_is_of_the_first_call_and_shapes_are_not() -> None:
    task = HEAD + (
        "class Model(nn.Module):\n"
        "    def forward(self, x):\n"
        "        n = x.shape[0]\n        zeros = torch.zeros_like(x)\n        y = x + zeros\n        return y[:n]\n\n"
    )
    (kept,) = (mutant for mutant in mutants(task) if mutant.was != "x" and mutant.now == FROM_FIRST)
    assert (kept.was, kept.line) == ("x + zeros", 8)
    names: dict[str, object] = {}
    exec(kept.code, names)
    model = names["ModelNew"]()  # type: ignore[operator]
    first = model.forward(torch.ones(2, 2))
    assert torch.equal(model.forward(torch.zeros(2, 2)), first)
    (kept,) = (mutant for mutant in mutants(task) if mutant.was == "x" and mutant.now == FROM_FIRST)
    exec(kept.code, names)
    model, lies = names["ModelNew"](), torch.ones(2, 2)  # type: ignore[operator]
    model.forward(lies)
    assert torch.equal(model.forward(lies.zero_()), first), "later inputs may lie where the first did"


def test_what_a_library_is_called_is_read_from_its_import() -> None:
    task = (
        "import torch as th\n\nclass Model(th.nn.Module):\n    def forward(self, x):\n        return th.sum(x, dim=1)\n"
    )
    assert _found(task) == {("x", "without the last eighth")}


def test_layers_that_are_off_in_eval_mode_stay() -> None:
    text = HEAD + (
        "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.drop, self.act = None, nn.ReLU()\n        self.drop = nn.Dropout2d(0.1)\n"
        "    def forward(self, x):\n        return self.drop(self.act(x))\n"
    )
    assert _found(text) == {("self.act(x)", "(x)")}


def test_no_change_is_none() -> None:
    """Loops of few steps, numbers that steer, and what gives the same whatever comes."""
    task = HEAD + (
        "class Model(nn.Module):\n"
        "    def forward(self, x):\n"
        "        assert x.dim() == 2, f'{x.sum():.1f}'\n"
        "        if x.shape[0] != x.shape[1]:\n            raise ValueError('no square')\n"
        "        for place in range(min(3, len(x))):\n"
        "            x = torch.roll(x.detach(), place, 0)\n"
        "        return x\n"
    )
    inputs, before = torch.randn(4, 4), _outputs(task + "\nclass ModelNew(Model):\n    pass\n", [torch.ones(1, 1)])
    assert before.shape == (1, 1)
    found = [each for each in mutants(task) if (each.was, each.now) in _found(task)]
    assert {(each.was, each.now) for each in found} == {
        ("range(min(3, len(x)))", "without the last step"),
        ("range(min(3, len(x)))", "without the last eighth"),
        ("torch.roll(x.detach(), place, 0)", "(x.detach())"),
    }
    expected = _outputs(task + "\nclass ModelNew(Model):\n    pass\n", [inputs])
    assert not any(torch.equal(_outputs(each.code, [inputs]), expected) for each in found)


def test_no_number_stands_in_the_place_of_a_tensor() -> None:
    task = HEAD + "class Model(nn.Module):\n    def forward(self, x):\n        return 1 - -0.3 * x\n"
    assert _found(task) == {("-0.3 * x", "(x)")}


def test_what_ends_a_while_stays() -> None:
    task = HEAD + (
        "class Model(nn.Module):\n"
        "    def forward(self, x):\n"
        "        left = 3\n"
        "        while left != 0:\n"
        "            if x.sum() == 0:\n                break\n"
        "            left -= 1\n"
        "            x += 1\n"
        "        return x\n"
    )
    assert _found(task) == {("x += 1", "nothing")}


@pytest.mark.parametrize(
    "value",
    ["x if x.sum()!=(0)else x", "max(y.sum() for y in x)", "[x][0]if x.sum()==(0)else-x", "self.double(*[x.relu()])"],
)
def test_what_stands_without_blanks_or_starred_is_changed_too(value: str) -> None:
    task = "class Model(nn.Module):\n    def double(self, x):\n        return x + x\n"
    task += f"    def forward(self, x):\n        z = (w := {value})\n        return w * z\n"
    found = mutants(HEAD + task)
    assert found
    for each in found:
        _outputs(each.code, [torch.ones(8, 8)])


def test_names_of_the_task_stay_its_own() -> None:
    task = HEAD + (
        "def _less(x):\n    return x - 1\n\n"
        "class Model(nn.Module):\n    def forward(self, x):\n        return _less(x).relu()\n"
    )
    (without,) = (each for each in mutants(task) if each.now == "(_less(x))")
    assert torch.equal(_outputs(without.code, [torch.zeros(2)]), torch.full((2,), -1.0))


def test_a_norm_names_its_dimension_behind_its_power() -> None:
    task = HEAD + "class Model(nn.Module):\n    def forward(self, x):\n        return x.norm(2, 1)\n"
    (less,) = (each for each in mutants(task) if each.now == "without the last eighth")
    assert torch.equal(_outputs(less.code, [torch.ones(2, 10)]), torch.full((2,), 3.0))


def test_of_two_texts_that_are_the_same_there_is_one() -> None:
    codes = [mutant.code for mutant in mutants(LIMITED)]
    assert len(set(codes)) == len(codes)
    assert all(isinstance(mutant, Mutant) and mutant.line >= 5 for mutant in mutants(LIMITED))


def test_what_is_no_python_is_said() -> None:
    with pytest.raises(TaskError, match="line 1"):
        mutants("def (")


HIDDEN = HEAD + (
    "class Model(nn.Module):\n"
    "    def forward(self, x):\n"
    "        y = x.clamp(max=1e30)\n"
    "        return y.relu()\n\n"
    "def get_inputs():\n    return [torch.randn(16, 32)]\n\n"
    "def get_init_inputs():\n    return []\n"
)


def test_what_the_judge_does_not_tell_is_shown(place: Place) -> None:
    (place.folder / "hidden.py").write_text(HIDDEN)
    ended = place.run("mutants", "hidden.py", "--device", "cpu")
    assert ended.returncode == 1
    assert ended.stdout.splitlines()[1].split() == ["6", "x.clamp(max=1e30)", "(x)"]
    assert ended.stdout.splitlines()[-1] == "4 changes of 5 told, 1 not"
    assert "line 6: NOT TOLD: x.clamp(max=1e30) -> (x)" in ended.stderr
    assert "line 7: told" in ended.stderr


def test_of_more_some_are_judged_and_a_degenerate_task_is_named(place: Place) -> None:
    (place.folder / "nothing.py").write_text(HIDDEN.replace("y.relu()", "(y - y).relu()"))
    ended = place.run("mutants", "nothing.py", "--device", "cpu", "--most", "2")
    *_, counts, degenerate = ended.stdout.splitlines()
    assert counts.endswith("; 6 could be made")
    assert degenerate.startswith("the task is degenerate")


def test_what_could_not_be_judged_is_neither_told_nor_not() -> None:
    candidate = make_candidate(make_task())
    failed, wrong, passed = (
        row_of(Mutant(1, "x", "y", candidate.code), make_evaluation(candidate, status))
        for status in (Status.INFRA_FAILED, Status.WRONG_OUTPUT, Status.PASSED)
    )
    assert [each["told"] for each in (failed, wrong, passed)] == [None, True, False]
    assert [exit_code(rows) for rows in ([], [wrong], [failed, wrong], [failed, passed])] == [0, 0, 3, 1]


def test_as_json_all_are_told_of(place: Place) -> None:
    (place.folder / "seen.py").write_text(HIDDEN.replace("1e30", "1.5"))
    ended = place.run("mutants", "seen.py", "--device", "cpu", "--json")
    told = json.loads(ended.stdout)
    assert (ended.returncode, told["exit_code"], told["made"], told["degenerate"]) == (0, 0, 5, False)
    assert {(row["was"], row["now"]): row["status"] for row in told["mutants"]} == {
        ("x", FROM_FIRST): "REJECTED",
        ("x", FOR_ALL): "WRONG_OUTPUT",
        ("x.clamp(max=1.5)", "(x)"): "WRONG_OUTPUT",
        ("x.clamp(max=1.5)", FROM_FIRST): "REJECTED",
        ("y.relu()", "(y)"): "WRONG_OUTPUT",
    }
    assert all(row["told"] and row["why"] for row in told["mutants"])


def test_layers_of_parts_are_left_out_and_so_is_the_larger_of_two_tensors() -> None:
    task = HEAD + (
        "class Model(nn.Module):\n"
        "    def forward(self, x, least):\n"
        "        x = self.block.conv(x)\n"
        "        return torch.max(x, least).max(1).values * self.scale.abs()\n"
    )
    found = _found(task)
    assert ("self.block.conv(x)", "(x)") in found
    assert ("torch.max(x, least)", "(x)") in found
    assert ("self.scale.abs()", "(self.scale)") in found
    assert ("torch.max(x, least).max(1)", "(torch.max(x, least))") not in found


def test_an_argument_is_that_of_the_first_call_or_its_first_row_for_all() -> None:
    for body in ("return x + y", "\n        if y is not None:\n            x = x + y\n        return x"):
        task = HEAD + f"class Model(nn.Module):\n    def forward(self, x, y): {body}\n"
        kept, alike = (each for each in mutants(task) if each.was == "y" and each.now in (FROM_FIRST, FOR_ALL))
        zeros, rows = torch.zeros(2, 2), torch.tensor([[1.0, 1.0], [2.0, 2.0]])
        assert torch.equal(_outputs(alike.code, [zeros, rows]), torch.ones(2, 2))
        names: dict[str, Any] = {}
        exec(kept.code, names)
        model = names["ModelNew"]()
        assert torch.equal(model.forward(zeros, rows), rows)
        assert torch.equal(model.forward(zeros, zeros), rows)


def test_rows_are_those_of_tensors_and_numbers_have_none() -> None:
    task = HEAD + "class Model(nn.Module):\n    def forward(self, pair, by: float):\n        return pair[0] * by\n"
    (alike,) = (each for each in mutants(task) if each.now == FOR_ALL)
    names: dict[str, Any] = {}
    exec(alike.code, names)
    assert names["ModelNew"]().forward((torch.arange(3.0), None), 2.0).tolist() == [0, 0, 0]


def test_layers_in_a_loop_comparisons_and_what_is_written_in_place_are_left_out() -> None:
    task = HEAD + (
        "class Model(nn.Module):\n"
        "    def forward(self, x):\n"
        "        for layer in self.layers:\n            x = layer(x)\n"
        "        near: torch.Tensor = x < 2\n"
        "        if near.all() == 1:\n            x[0] = 0\n"
        "        x.mul_(near)\n"
        "        match x.dim():\n            case -1:\n                x = 0\n"
        "        return x if x.sum() > 1 else -x\n"
    )
    assert _found(task) == {
        ("self.layers", "without the last"),
        ("x < 2", "never"),
        ("x < 2", "always"),
        ("x < 2", FROM_FIRST),
        ("near.all() == 1", "never"),
        ("near.all() == 1", "True"),
        ("near", "without the last eighth"),
        ("x[0] = 0", "nothing"),
        ("x.mul_(near)", "nothing"),
        ("x", "without the last eighth"),
        ("x.sum() > 1", "never"),
        ("x.sum() > 1", "always"),
    }


def test_changes_that_only_raise_are_counted_as_such_and_where_there_is_none_it_says_so(place: Place) -> None:
    raising = HIDDEN.replace("x.clamp(max=1e30)", "x").replace("y.relu()", "y.sort(dim=1).values.exp()")
    (place.folder / "raising.py").write_text(raising)
    ended = place.run("mutants", "raising.py", "--device", "cpu")
    assert (ended.returncode, ended.stdout) == (0, "5 changes of 5 told (1 by an error of its own), 0 not\n")
    drawn = HIDDEN.replace("self, x", "self").replace("torch.randn(16, 32)", "").replace(".relu()", "")
    (place.folder / "drawn.py").write_text(drawn.replace("y = x.clamp(max=1e30)", "y = torch.ones(4)"))
    ended = place.run("mutants", "drawn.py", "--device", "cpu")
    assert ended.stdout.startswith("nothing in it is of a kind that is changed (docs/verify.md)\n")


def test_what_the_module_does_not_lead_to_and_what_makes_weights_is_left_alone() -> None:
    """A project's file holds more than one module, and words for people."""
    task = HEAD + (
        "def scaled(x):\n    return x * x\n\n"
        "def drawn(x):\n    return x.exp()\n\n"
        "ACTS = {'scaled': scaled}\n\n"
        "class Part(nn.Module):\n"
        "    def __init__(self):\n        self.reset()\n\n"
        "    def reset(self):\n        self.w = drawn(torch.ones(2))\n\n"
        "    def extra_repr(self):\n        return 'x' + str(self.w)\n\n"
        "    def halved(self, x, *, by=2, **more):\n        return x / by\n\n"
        "    def forward(self, x):\n        return self.halved(x)\n\n"
        "class Other(nn.Module):\n    def forward(self, x):\n        return x.relu()\n\n"
        "class Model(nn.Module):\n"
        "    def __init__(self):\n        self.part, self.act = Part(), ACTS['scaled']\n\n"
        "    def forward(self, x):\n        return self.act(self.part(x)).abs()\n"
    )
    found = _found(task)
    assert {was for was, now in found if now != FROM_FIRST} == {
        "x * x", "x / by", "self.halved(x)", "self.part(x)", "self.act(self.part(x))", "self.act(self.part(x)).abs()",
    }  # fmt: skip
    assert ("by", FROM_FIRST) in found
    assert not any("relu" in was or "exp" in was or "str" in was for was, _ in found)
