"""The reference's process: source of inputs, weights, float64 oracle outputs and eager times for a session.

Expected outputs stay in the parent; a contender's process never holds them. The reference runs the task's own source,
which the user trusts, with the user's own rights.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import platformdirs
import torch

from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.judge import verify
from cuda_l1.judge.arena import Arena, Layout, Leaf
from cuda_l1.judge.config import JudgeConfig
from cuda_l1.judge.process import RefusedError, SlowWorkerError, Turn, WorkerGoneError, WorkerProcess
from cuda_l1.types import Finding, Task

VERIFY_SETS = 3
"""Input sets checked before timing: two with the first weights, one with other weights."""
REQUEST_TIMEOUT_S = 120.0
_TURN_BUDGET_S = 0.05
_COLD_SET_BYTES = {"cpu": 64 << 20, "cuda": 128 << 20}
"""Inputs in rotation exceed the last cache (an H200 has 60 MB of L2), so that each call finds them cold."""
_ARENA_BUDGET_BYTES = {"cpu": 768 << 20, "cuda": 8 << 30}
_MOST_SLOTS = 128
_WORST_REFERENCE_ERROR = 0.05


class Side:
    """One process in a race, with its arenas."""

    process: WorkerProcess
    time_arena: Arena

    def __init__(self, device: str, constants: list[Any], order: list[list[Any]], structure: Any) -> None:
        self.device = device
        self.constants, self.order, self.structure = constants, order, structure
        self.arenas: list[Arena] = []

    def attach(self, name: str, layout: Layout) -> Arena:
        """Allocate an arena and have the process map it."""
        arena = Arena.create(layout, self.device)
        self.arenas.append(arena)
        self.process.request(
            "attach", REQUEST_TIMEOUT_S, fd=arena.fd,
            name=name, layout=layout, handle=arena.handle, constants=self.constants, order=self.order,
        )  # fmt: skip
        return arena

    def close(self) -> None:
        """End the process and free its arenas."""
        self.process.close()
        for arena in self.arenas:
            arena.close()
        self.arenas = []


class Reference(Side):
    """The task's own module: source of inputs, weights, oracle outputs and of the eager times."""

    def __init__(self, task: Task, config: JudgeConfig, seed: int, threads: int) -> None:
        self.task, self.config, self.threads = task, config, threads
        self.random = random.Random(seed)
        self.notes: list[Finding] = []
        super().__init__(config.device, [], [], None)

    def __enter__(self) -> Reference:
        self.process = self.spawn(trusted=True)
        try:
            self._prepare()
        except RefusedError as refusal:
            self.close()
            raise _task_error(self.task, refusal) from refusal
        except SlowWorkerError as error:
            self.close()
            raise TaskError(f"task {self.task.name}: the reference gave no answer in time") from error
        except (WorkerGoneError, torch.OutOfMemoryError, RuntimeError) as error:
            why = self.process.obituary() if isinstance(error, WorkerGoneError) else str(error)
            log = self.process.log_tail()
            self.close()
            raise CannotJudgeError(f"task {self.task.name}: the reference's process failed: {why}\n{log}") from error
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def spawn(self, *, trusted: bool) -> WorkerProcess:
        """A worker for this task: in the sandbox, or trusted, with a cache of compiled code that outlives it."""
        cache = Path(platformdirs.user_cache_dir("cuda-l1")) / "compiled" if trusted else None
        if cache is not None:
            cache.mkdir(parents=True, exist_ok=True)
        return WorkerProcess(
            device=self.device, precision=self.task.precision, mode=self.task.mode, threads=self.threads,
            sandbox_wanted="none" if trusted else self.config.sandbox, cache=cache,
            readable=(self.task.import_path,) if self.task.import_path else (),
        )  # fmt: skip

    def draw_seed(self) -> int:
        """A fresh seed from the session's own source."""
        return self.random.getrandbits(62)

    def _prepare(self) -> None:
        self.build_seed = self.draw_seed()
        path = self.process.write("task.py", self.task.source)
        loaded = self.process.request(
            "load", self.config.build_timeout_s, role="reference", path=path, import_path=self.task.import_path,
            class_name="Model", seed=self.build_seed,
        )  # fmt: skip
        self.init, self.state = loaded["init"], loaded["state"]
        self._describe()
        layout = Layout(self.input_leaves, self.output_leaves, VERIFY_SETS, VERIFY_SETS)
        self.verify_arena = self.attach("verify", layout)
        self.oracle_arena = self.attach("oracle", Layout((), tuple(map(_widened, self.output_leaves)), 0, VERIFY_SETS))
        self.weights = [self._save_weights(None), self._save_weights(self.draw_seed())]
        self._make_expected()
        self.time_arena = self.attach("time", self._time_layout())

    def _describe(self) -> None:
        described = self.process.request("describe_inputs", REQUEST_TIMEOUT_S, seed=self.draw_seed())["inputs"]
        leaves: list[Leaf] = []
        for item in described:
            kind, store = ("leaf", leaves) if "leaf" in item else ("value", self.constants)
            self.order.append([kind == "leaf", len(store)])
            store.append(Leaf.parse(item["leaf"]) if kind == "leaf" else item["value"])
        self.input_leaves = tuple(leaves)
        out = self.process.request("describe_outputs", self.config.build_timeout_s, seed=self.draw_seed())
        self.output_leaves = tuple(map(Leaf.parse, out["outputs"]))
        self.structure = out["structure"]

    def _save_weights(self, seed: int | None) -> int:
        fd = os.memfd_create("cuda-l1-weights", os.MFD_CLOEXEC)
        self.process.request("save_state", REQUEST_TIMEOUT_S, fd=fd, seed=seed)
        return fd

    def load_weights(self, which: int) -> None:
        """Give the reference the weights of that index."""
        self.process.request("load_state", REQUEST_TIMEOUT_S, fd=self.weights[which], spec=self.state)

    def _make_expected(self) -> None:
        slots = list(range(VERIFY_SETS))
        self._fill("verify", slots)
        self.verify_inputs = self.verify_arena.input_block.clone()
        own: list[list[torch.Tensor]] = []
        self.expected: list[list[torch.Tensor]] = []
        for which, sets in ((0, slots[:2]), (1, slots[2:])):
            self.load_weights(which)
            turn = self._run("verify", sets)
            own += [[leaf.clone() for leaf in self.verify_arena.outputs[i]] for i in range(len(sets))]
            self.mutates_inputs = not torch.equal(self.verify_arena.input_block, self.verify_inputs)
            self.verify_arena.input_block.copy_(self.verify_inputs)
            self.expected += self._oracle(sets, own)
        self.load_weights(0)
        self.call_s = min(turn.calls_us) / 1e6
        self._judge_itself(own)

    def _oracle(self, sets: list[int], own: list[list[torch.Tensor]]) -> list[list[torch.Tensor]]:
        self.oracle_arena.poison()
        self.synchronize()
        try:
            self.process.request("oracle", self.config.build_timeout_s, arena="verify", slots=sets)
            rows = [[leaf.clone() for leaf in self.oracle_arena.outputs[i]] for i in range(len(sets))]
        except RefusedError as refusal:
            self.notes.append(
                Finding(check="no_float64_oracle", detail=f"compared with the reference itself: {refusal}")
            )
            rows = [own[i] for i in sets]
        return [
            [exact if is_continuous(leaf) else leaf for exact, leaf in zip(row, own[i], strict=True)]
            for i, row in zip(sets, rows, strict=True)
        ]

    def _judge_itself(self, own: list[list[torch.Tensor]]) -> None:
        columns = list(zip(*[[verify.compare(o, e) for o, e in zip(a, b, strict=True)]
                             for a, b in zip(own, self.expected, strict=True)], strict=True))  # fmt: skip
        leaf_errors = [verify.worst_of(list(column)) for column in columns]
        self.error = verify.worst_of(leaf_errors)
        noise = not self.error.norm <= _WORST_REFERENCE_ERROR
        if noise and not self._repeats(own[0]):
            raise TaskError(
                f"task {self.task.name}: the reference differs from its own float64 oracle by {self.error.norm:.2g} "
                f"({self.error.worst}) and from itself on the same input: it is random (dropout in train mode?), so no "
                "candidate can be compared with it"
            )
        precision = self.task.precision
        self.bounds = [verify.bound(precision, leaf.torch_dtype, error)
                       for leaf, error in zip(self.output_leaves, leaf_errors, strict=True)]  # fmt: skip
        self.degenerate = noise or all(
            verify.compare(second, first).norm <= verify.floor(precision, leaf.torch_dtype).norm
            for first, second, leaf in zip(self.expected[0], self.expected[1], self.output_leaves, strict=True)
        )
        if self.degenerate:
            why = (
                f"the output is rounding noise: it differs from a float64 oracle by {self.error.norm:.2g} of its norm"
                if noise
                else "different inputs give the same output: any constant is as good"
            )
            self.notes.append(Finding(check="degenerate_task", detail=f"{why}, so no speedup here is a win"))

    def _repeats(self, first: list[torch.Tensor]) -> bool:
        """Whether the reference gives about the same output for the same input again."""
        self._run("verify", [0])
        again = self.verify_arena.outputs[0]
        self.verify_arena.input_block.copy_(self.verify_inputs)
        pairs = zip(again, first, strict=True)
        return all(verify.compare(a, b).norm <= _WORST_REFERENCE_ERROR for a, b in pairs)

    def _time_layout(self) -> Layout:
        kind = self.device.partition(":")[0]
        each_in = max(sum(leaf.nbytes for leaf in self.input_leaves), 1)
        each = each_in + sum(leaf.nbytes for leaf in self.output_leaves) / 2
        cold = max(_COLD_SET_BYTES[kind] / each_in, 8)
        slots = min(cold, _MOST_SLOTS, _ARENA_BUDGET_BYTES[kind] / each, 2 * _TURN_BUDGET_S / max(self.call_s, 1e-6))
        half = max(int(slots) // 2, 1)
        return Layout(self.input_leaves, self.output_leaves, 2 * half, half)

    def _fill(self, arena: str, slots: list[int]) -> None:
        seeds = [self.draw_seed() for _ in slots]
        self.process.request("make_inputs", REQUEST_TIMEOUT_S, arena=arena, slots=slots, seeds=seeds)

    def fresh_inputs(self) -> torch.Tensor:
        """New values in every slot of the time arena; the parent's own copy of them, as bytes."""
        self._fill("time", list(range(self.time_arena.layout.input_slots)))
        return self.time_arena.input_block.clone()

    def turn(self, slots: list[int]) -> Turn:
        """Timed calls of the reference."""
        return self._run("time", slots)

    def _run(self, arena: str, slots: list[int]) -> Turn:
        limit = self.config.build_timeout_s
        return self.process.turn(arena, slots, self.structure, first_timeout_s=limit, timeout_s=limit)

    def synchronize(self) -> None:
        """Wait until the parent's own work on the device is done."""
        if self.device.startswith("cuda"):
            torch.cuda.synchronize(self.device)

    def close(self) -> None:
        """End the process and free what the session holds."""
        super().close()
        for fd in getattr(self, "weights", []):
            os.close(fd)
        self.weights = []


def is_continuous(tensor: torch.Tensor) -> bool:
    """Whether float64 can say it better. An index has no oracle: there the reference's own choice is the truth."""
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def _widened(leaf: Leaf) -> Leaf:
    wide = (
        "complex128" if leaf.torch_dtype.is_complex else "float64" if leaf.torch_dtype.is_floating_point else leaf.dtype
    )
    return leaf._replace(dtype=wide)


def _task_error(task: Task, refusal: RefusedError) -> TaskError:
    what = {
        "build": "the source does not import, or Model cannot be constructed",
        "inputs": "get_inputs() raised",
        "init_inputs": "get_init_inputs() raised",
        "forward": "Model.forward raised on the task's own inputs",
    }.get(refusal.stage, "cannot be judged")
    return TaskError(f"task {task.name}: {what}: {refusal}")
