"""What a constructor is called with."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
import torch
from linear import LINEAR, rewrite, task

from cuda_l1 import constants, constructor
from cuda_l1.errors import TaskError
from cuda_l1.judge import JudgeConfig, judge
from cuda_l1.types import Status
from cuda_l1.wire import values


class _Named:
    def __init__(self, n: int, *, bias: bool = True) -> None:
        self.given: Any = (n, bias)


class _ListAndDict:
    def __init__(self, sizes: list[int], options: dict[str, Any]) -> None:
        self.given: Any = (sizes, options)


class _Kind:
    def __init__(self, *, kind: str) -> None:
        self.given: Any = kind


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
        (_Kind, {"kind": "l2"}, "l2"),
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


_SETTINGS = """
import argparse
import functools
from dataclasses import dataclass, field
from torch.nn import functional as F


@dataclass
class Inner:
    n: int
    scale: torch.Tensor = field(default_factory=lambda: torch.tensor([0.5, 2.0]))


class Settings:
    bias, names = True, {"what", "is", "not", "sent"}

    def __init__(self, n):
        self.inner, self.flags = Inner(n), argparse.Namespace(act=F.silu, other=torch.relu)

    @property
    def width(self):
        return self.inner.n

    def doubled(self):
        return 2 * self.width
"""


def test_settings_of_a_class_of_the_tasks_own_are_given_as_what_they_hold() -> None:
    source = LINEAR.replace("__init__(self, n)", "__init__(self, its, norm)")
    source = source.replace("nn.Linear(n, n)", "nn.Linear(its.width, its.inner.n, bias=its.bias)")
    held = "self.act, self.scale, self.norm = its.flags.act, its.inner.scale, norm(8)"
    source = source.replace("self.fc =", f"{held}; self.fc =")
    source = source.replace("torch.relu(self.fc(x))", "self.act(self.fc(x)) * self.scale[0] * self.norm.eps")
    made = "Settings(64), functools.partial(nn.LayerNorm, eps=1e-3)"
    told = source.replace("return [64]", f"return [{made}]").replace("import torch\n", "import torch\n" + _SETTINGS, 1)
    (evaluation,) = judge(task(told), [rewrite(source=source)], JudgeConfig(effort="glance", baselines=()))
    assert evaluation.status is Status.PASSED, evaluation.findings


@pytest.mark.parametrize(
    "value", [functools.partial(torch.nn.LayerNorm, eps=1e-6), torch.nn.functional.gelu, torch.tanh]
)
def test_what_of_torch_is_called_comes_back_as_it_is(value: Any) -> None:
    again = values.decode(json.loads(json.dumps(values.encode(value))))
    assert again is value or (again.func is value.func and again.keywords == value.keywords)


@pytest.mark.parametrize("value", [lambda x: x, torch.rand(1 << 17), torch.nn.Linear(2, 2)])
def test_what_cannot_be_sent_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="functions, a partial of these, small tensors"):
        values.encode([value])


_WITH_METHODS = """
import functools
from dataclasses import dataclass
from typing import NamedTuple


class Sizes(NamedTuple):
    n: int = 64
    bias: bool = True


@dataclass
class Settings:
    _n: int = 64

    def width(self):
        return self._n

    @property
    def whole(self):
        return self

    @property
    def also(self):
        return [self]
"""


def test_a_task_may_call_methods_of_its_own_settings_and_named_tuples_keep_their_names() -> None:
    source = LINEAR.replace("__init__(self, n)", "__init__(self, its, sizes)")
    told = source.replace("nn.Linear(n, n)", "nn.Linear(its.width(), sizes.n, sizes.bias)")
    told = told.replace("return [64]", "return [Settings(), Sizes()]")
    told = told.replace("import torch\n", "import torch\n" + _WITH_METHODS, 1)
    source = source.replace("nn.Linear(n, n)", "nn.Linear(sizes.n, sizes.n, bias=sizes.bias)")
    config = JudgeConfig(effort="glance", baselines=("eager",))
    (without, its) = judge(task(told), [rewrite(source=source), rewrite(source=told)], config)
    assert without.status is its.status is Status.PASSED, (without.findings, its.findings)


def test_who_holds_itself_is_refused_and_what_leads_back_is_left_out() -> None:
    around: list[Any] = []
    around.append(around)
    with pytest.raises(TypeError, match="a list that holds itself"):
        values.encode(around)
    names: dict[str, Any] = {"__name__": __name__}
    exec(_WITH_METHODS, names)
    held = values.decode(values.encode(names["Settings"]()))
    assert vars(held) == {}
