"""Whether a generated task is worth judging: it runs, is finite, depends on its inputs and takes a sensible time.

The same questions as the judge's own hygiene and by its measures (correctness/verify), asked in this process in a few
milliseconds: generated sources are ours, so they may run here. The judge asks again when it opens a session.
Not covered: the judge's other value distributions and other weights.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cuda_l1 import constructor
from cuda_l1.types import Task

if TYPE_CHECKING:
    import torch

LEAST_US, MOST_US = 10.0, 20_000.0
CALLS = 5


def sound(tasks: Sequence[Task], device: str = "cpu") -> list[Task]:
    """Those generated tasks that pass, in their order."""
    return [task for task in tasks if not screen(task, device).fault]


class Screened(NamedTuple):
    """What came out."""

    fault: str
    """Empty for a good task."""
    call_us: float
    """The shortest of a few eager calls; on a CPU, one thread's own time, which no other program changes."""


def screen(task: Task, device: str = "cpu") -> Screened:
    """Run a generated task on its own inputs. It is trusted: never call this on a source of unknown origin."""
    import torch

    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[] if device == "cpu" else [device]), torch.no_grad():
        torch.manual_seed(0)
        torch.set_num_threads(1)
        try:
            return _screened(task, device)
        except Exception as error:  # whatever a source raises is its fault
            return Screened(f"raises {type(error).__name__}: {str(error).strip()[:200]}", 0.0)
        finally:
            torch.set_num_threads(threads)


def _screened(task: Task, device: str) -> Screened:
    import torch

    from cuda_l1.correctness import verify
    from cuda_l1.wire.values import flatten

    space: dict[str, Any] = {"__name__": "task"}
    exec(compile(task.source, f"{task.name}.py", "exec"), space)
    model = constructor.made(space["Model"], space.get("get_init_inputs", list)()).to(device).eval()
    first, second = ([value.to(device) for value in space["get_inputs"]()] for _ in range(2))
    out, other = flatten(model(*first))[0], flatten(model(*second))[0]
    wide = copy.deepcopy(model).double()
    exact = flatten(wide(*[value.double() if value.is_floating_point() else value for value in first]))[0]
    if not all(bool(torch.isfinite(leaf).all()) for leaf in (*out, *other, *exact)):
        return Screened("the output is not finite", 0.0)
    worst = max(verify.compare(o, e).norm for o, e in zip(out, exact, strict=True))
    if not worst <= verify.WORST_ERROR:
        return Screened(f"the output is rounding noise: it differs from float64's by {worst:.2g} of its norm", 0.0)
    least = [verify.floor(task.precision, leaf.dtype).norm for leaf in out]
    if all(verify.compare(b, a).norm <= floor for a, b, floor in zip(out, other, least, strict=True)):
        return Screened("other inputs give the same output", 0.0)
    call_us = min(_call_us(model, first, device) for _ in range(CALLS))
    if not LEAST_US <= call_us <= MOST_US:
        return Screened(f"a call takes {call_us:.0f} us: expected {LEAST_US:.0f} to {MOST_US:.0f}", call_us)
    return Screened("", call_us)


def _call_us(model: torch.nn.Module, inputs: list[torch.Tensor], device: str) -> float:
    clock = time.thread_time if device == "cpu" else time.perf_counter
    start = clock()
    model(*inputs)
    if device != "cpu":
        _finish(device)
    return (clock() - start) * 1e6


def _finish(device: str) -> None:
    import torch

    torch.cuda.synchronize(device)
