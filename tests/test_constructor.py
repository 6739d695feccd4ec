"""What a constructor is called with."""

from __future__ import annotations

from typing import Any

import pytest
from linear import LINEAR, rewrite, task

from cuda_l1 import constants, constructor
from cuda_l1.errors import TaskError
from cuda_l1.judge import JudgeConfig, judge
from cuda_l1.types import Status


class _Named:
    def __init__(self, n: int, *, bias: bool = True) -> None:
        self.given: Any = (n, bias)


class _ListAndDict:
    def __init__(self, sizes: list[int], options: dict[str, Any]) -> None:
        self.given: Any = (sizes, options)


class _Nothing:
    def __init__(self) -> None:
        self.given: Any = ()


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (_Named, [64], (64, True)),
        (_Named, {"n": 64, "bias": False}, (64, False)),
        (_Named, [[], {"n": 64, "bias": False}], (64, False)),
        (_Named, [[64], {"bias": False}], (64, False)),
        (_ListAndDict, [[64], {"bias": False}], ([64], {"bias": False})),
        (_Nothing, [[], {}], ()),
        (_Nothing, [], ()),
    ],
)
def test_arguments_come_in_order_by_name_or_both(kind: Any, given: Any, expected: Any) -> None:
    assert constructor.made(kind, given).given == expected


def test_a_wrong_name_is_named() -> None:
    with pytest.raises(TypeError, match="bais"):
        constructor.made(_Named, {"n": 64, "bais": False})


def test_a_task_in_the_format_of_kernelbook_is_judged() -> None:
    source = LINEAR.replace("return [64]", "return [[], {'n': 64}]")
    (evaluation,) = judge(task(source), [rewrite(source=source)], JudgeConfig(effort="glance", baselines=()))
    assert evaluation.status is Status.PASSED


def test_arguments_that_are_settings_types_or_devices_are_judged() -> None:
    source = LINEAR.replace("__init__(self, n)", "__init__(self, its, act, device)")
    source = source.replace("nn.Linear(n, n)", "nn.Linear(its.n, its.n, device=device, dtype=its.inner.dtype)")
    source = source.replace("torch.relu(self.fc(x))", "self.act(self.fc(x))").replace(
        "self.fc =", "self.act = act(); self.fc ="
    )
    made = "SimpleNamespace(n=64, inner=SimpleNamespace(dtype=torch.float32)), nn.ReLU, torch.device('cpu')"
    source = "from types import SimpleNamespace\n" + source.replace("return [64]", f"return [{made}]")
    (evaluation,) = judge(task(source), [rewrite(source=source)], JudgeConfig(effort="glance", baselines=()))
    assert evaluation.status is Status.PASSED


@pytest.mark.parametrize(
    ("made", "kind"),
    [("torch.Generator()", "Generator"), ("type('Own', (), {'__module__': 'torch.nn.own'})", "type")],
    ids=["an object", "a class that says to be torch's"],
)
def test_what_else_is_given_is_named_with_what_may_be(made: str, kind: str) -> None:
    source = LINEAR.replace("return [64]", f"return [{made}]")
    with pytest.raises(TaskError, match=rf"get_init_inputs holds a {kind}; .* SimpleNamespace"):
        judge(task(source), [rewrite(source=source)], JudgeConfig(effort="glance", baselines=()))


def test_the_text_says_no_arguments_in_order_where_some_come_by_name() -> None:
    head = "def get_init_inputs():\n    return "
    assert constants.given(head + "[64, [1, 2]]") == (64, [1, 2])
    assert constants.given(head + "[[], {'n': 64}]") == constants.given(head + "{'n': 64}") == ()
