"""What of a task is changed, and which changes the judge tells."""

from __future__ import annotations

import json

import pytest
import torch
from linear import HEAD
from place import Place

from cuda_l1.errors import TaskError
from cuda_l1.mutants import Mutant, mutants

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


def _found(source: str) -> set[tuple[str, str]]:
    return {(mutant.was, mutant.now) for mutant in mutants(source)}


def test_each_limit_mask_term_and_step_is_left_out_once() -> None:
    assert _found(LIMITED) == {
        ("there != 0", "always"),
        ("there != 0", "what it was in the first call"),
        ("x.clamp(min=-2, max=2)", "(x)"),
        ("-2", "None"),
        ("2", "None"),
        ("x.clamp(min=-2, max=2)", "what it was in the first call"),
        ("torch.where(there, low, 0.0)", "(low)"),
        ("torch.where(there, low, 0.0)", "what it was in the first call"),
        ("8", "(8) - 1"),
        ("8", "(8) - (8) // 8"),
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
    assert same == {each.was for each in mutants(LIMITED) if each.now == "what it was in the first call"}


def test_what_is_kept_is_of_the_first_call_and_shapes_are_not() -> None:
    task = HEAD + (
        "class Model(nn.Module):\n"
        "    def forward(self, x):\n"
        "        n = x.shape[0]\n        zeros = torch.zeros_like(x)\n        y = x + zeros\n        return y[:n]\n\n"
    )
    (kept,) = (mutant for mutant in mutants(task) if mutant.now == "what it was in the first call")
    assert (kept.was, kept.line) == ("x + zeros", 8)
    names: dict[str, object] = {}
    exec(kept.code, names)
    model = names["ModelNew"]()  # type: ignore[operator]
    first = model.forward(torch.ones(2, 2))
    assert torch.equal(model.forward(torch.zeros(2, 2)), first)


def test_what_a_library_is_called_is_read_from_its_import() -> None:
    task = (
        "import torch as th\n\nclass Model(th.nn.Module):\n    def forward(self, x):\n        return th.sum(x, dim=1)\n"
    )
    (less,) = mutants(task)
    assert (less.was, less.now) == ("x", "without the last eighth")


def test_of_two_texts_that_are_the_same_there_is_one() -> None:
    codes = [mutant.code for mutant in mutants(LIMITED)]
    assert len(set(codes)) == len(codes)
    assert all(isinstance(mutant, Mutant) and mutant.line > 5 for mutant in mutants(LIMITED))


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
    assert ended.stdout.splitlines()[-1] == "2 changes of 3 told, 1 not"
    assert "line 7: told" in ended.stderr


def test_as_json_all_are_told_of(place: Place) -> None:
    (place.folder / "seen.py").write_text(HIDDEN.replace("1e30", "1.5"))
    ended = place.run("mutants", "seen.py", "--device", "cpu", "--json")
    told = json.loads(ended.stdout)
    assert (ended.returncode, told["exit_code"], told["made"], told["degenerate"]) == (0, 0, 3, False)
    assert {row["now"]: row["status"] for row in told["mutants"]} == {
        "(x)": "WRONG_OUTPUT", "what it was in the first call": "REJECTED", "(y)": "WRONG_OUTPUT"
    }  # fmt: skip
    assert all(row["told"] and row["why"] for row in told["mutants"])
