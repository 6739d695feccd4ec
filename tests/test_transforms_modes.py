"""What rewritten code does in the mode that its task is not declared for, and when gradients are asked for."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from test_transforms import FITS, LINEAR, made, task_of

pytestmark = pytest.mark.usefixtures("own_builds")


def _modules(task: Any, technique: str) -> tuple[Any, Any, list[Any]]:
    """The task's own module and the rewritten one with its weights, both in train mode, and inputs."""
    theirs: dict[str, Any] = {"__name__": "theirs"}
    ours: dict[str, Any] = {"__name__": "ours"}
    exec(task.source, theirs)
    exec(compile(made(task, technique).candidate.code, technique, "exec"), ours)
    module, rewritten = theirs["Model"](), ours["ModelNew"]()
    rewritten.load_state_dict(module.state_dict())
    return module.train(), rewritten.train(), theirs["get_inputs"]()


def _gradients(module: Any, inputs: list[Any]) -> list[torch.Tensor]:
    """The output, and what `backward` of its norm gives for all weights and inputs of floats."""
    torch.manual_seed(0)  # dropout
    given = [x.clone().requires_grad_(x.is_floating_point()) if isinstance(x, torch.Tensor) else x for x in inputs]
    out = module(*given)
    out = out[0] if isinstance(out, tuple) else out
    asked = [*module.parameters(), *(x for x in given if isinstance(x, torch.Tensor) and x.requires_grad)]
    if not out.requires_grad:
        return [out]
    return [out, *(g for g in torch.autograd.grad(out.square().sum(), asked, allow_unused=True) if g is not None)]


@pytest.mark.parametrize(("technique", "forward", "inputs", "init"), FITS)
def test_in_train_mode_gradients_are_those_of_the_module(technique: str, forward: str, inputs: str, init: str) -> None:
    module, rewritten, given = _modules(task_of(forward, inputs, init), technique)
    want, got = _gradients(module, given), _gradients(rewritten, given)
    assert len(got) == len(want)
    for ours, theirs in zip(got, want, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4)


def test_what_has_no_modes_is_rewritten_in_both(monkeypatch: pytest.MonkeyPatch) -> None:
    module, rewritten, given = _modules(task_of("return self.l(x0).sum(-1)", "[torch.randn(4, 8)]", LINEAR), "rewrites")
    monkeypatch.setattr(type(rewritten), "_as_written", None)
    with torch.no_grad():
        torch.testing.assert_close(rewritten(*given), module(*given))


@pytest.mark.parametrize(
    ("forward", "more"),
    [
        ("return self.l(self.d(x0)).sum(-1)", "\nself.d = nn.Dropout(0.5)"),
        ("return self.l(F.dropout(x0, training=self.training)).sum(-1)", ""),
        ("return self.l(self.n(x0)).sum(-1)", "\nself.n = nn.BatchNorm1d(8)"),
    ],
)
def test_what_has_modes_runs_as_it_was_written_in_the_other(forward: str, more: str) -> None:
    module, rewritten, given = _modules(task_of(forward, "[torch.randn(4, 8)]", LINEAR + more), "rewrites")
    with torch.no_grad():
        torch.manual_seed(0)
        want = module(*given)
        torch.manual_seed(0)
        torch.testing.assert_close(rewritten(*given), want)
    for ours, theirs in zip(rewritten.buffers(), module.buffers(), strict=True):
        torch.testing.assert_close(ours, theirs)
