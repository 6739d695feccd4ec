"""The reference's process: source of inputs, weights and float64 oracle outputs for a session.

Expected outputs stay in the parent; a contender's process never holds them. The reference runs the task's own source,
which the user trusts, with the user's own rights. It is not timed itself: eager times come from contenders that run
the same source.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from cuda_l1 import syntax
from cuda_l1.correctness import refusals, sets, slices, verify
from cuda_l1.correctness.host import HostCopies
from cuda_l1.correctness.rehearsal import PLAIN, Care, LostError, has_lost_device
from cuda_l1.correctness.secret import Secret
from cuda_l1.correctness.sets import InputSet
from cuda_l1.correctness.side import REQUEST_TIMEOUT_S, Held, Side
from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.evidence.work import Work
from cuda_l1.inputs import asks, operations, weights
from cuda_l1.inputs.looks import Looks
from cuda_l1.inputs.traits import is_continuous, is_float8, with_arithmetic
from cuda_l1.judge_config import COMPILED, JudgeConfig
from cuda_l1.machine import lease, room
from cuda_l1.processes.process import Walls, WorkerProcess
from cuda_l1.types import Finding, Precision, Task
from cuda_l1.wire.arena import Arena, Layout, Leaf, give_back
from cuda_l1.wire.link import RefusalError, SlowWorkerError, WorkerGoneError
from cuda_l1.wire.values import decode

_TIMED_CALLS, _PATIENCE_S, _PATIENCE_CALLS = 3, 20.0, 100
_TIMED_SETS, _SHORT_S = 8, 1e-3
"""Beyond so many sets a call that takes longer is made once for each: how long it takes is known by then."""


class Reference(Side):
    """The task's own module: source of inputs, weights and oracle outputs. Asked with `care` (see `rehearsal`)."""

    def __init__(
        self, task: Task, config: JudgeConfig, seed: int, threads: int, starts: int = 1, care: Care = PLAIN
    ) -> None:
        self.task, self.config, self.threads, self.starts, self.care = task, config, threads, starts, care
        self.text = syntax.without_words(task.source)
        """What says what the task is: its code alone."""
        self.random = Secret(seed)
        self.notes: list[Finding] = []
        self.weights: dict[int, Held] = {}
        """By index, see `sets.WEIGHTS`."""
        self.precision: Precision = task.precision
        """By which errors are judged."""
        self.error, self.room = verify.EXACT, room.ALL
        self.kit: Path | None = None
        """What inline extensions are built with (see `inline.warm`); made when a candidate has one."""
        self.work: Work | None = None
        """What a call does at least; None where it cannot be counted."""
        self.sets: list[InputSet] = []
        self.later: list[InputSet] = []
        """Of the task's own values, and no candidate meets them before it has been timed."""
        self.bounds: list[verify.Bound] = []
        self.other_bounds: dict[str, list[verify.Bound]] = {}
        """Of timed outputs, by distribution and leaf."""
        self.watched_by_kind: dict[str, Sequence[slices.Slices]] = {}
        self.mutates_inputs = self.noise = self.degenerate = self.is_wide = False
        self.call_s, self.looks = math.inf, Looks()
        self.others: tuple[str, tuple[str, ...]] = ("", ())
        """How its other weights are other, see `save_weights`."""
        self.has_other_weights = False
        """Whether there are other weights that the task is meant for, and so may races change them."""
        self.extreme: list[int] = []
        """Weights of `sets.EXTREME` that the task is meant for, and races may have."""
        self.parts: list[InputSet] = []
        """Sets on the first one's inputs, under its own weights but for some tensors."""
        self.changes: set[str] = set()
        """What of its state a call changes."""
        self.extra: list[str] = []
        """What of its state_dict is no tensor, holds some, and so cannot be given to it with other values."""
        self.seen_state: list[list[Any]] = []
        self.lefts: list[tuple[InputSet, dict[str, torch.Tensor]]] = []
        """That part of its state after a call on the first set, and what of it only others show (see state.py)."""
        self.watched_left: dict[str, slices.Slices] = {}
        """And which slices of that are looked at by themselves."""
        self.writable: list[int] = []
        """Its outputs that may be written to, and others are right all the same."""
        self.lease = lease.Lease(config.device, shared=config.cores is not None)
        self._host = HostCopies()
        self._draws: Arena | None = None
        self._claims = contextlib.ExitStack()
        super().__init__(config.device, [], [], None)

    def __enter__(self) -> Reference:
        try:
            COMPILED.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotJudgeError(
                f"the cache folder {COMPILED} cannot be made ({error.strerror}): set XDG_CACHE_HOME to another"
            ) from None
        if self.device.startswith("cuda"):
            self.config.expect_workers()
            room.wait_to_begin(self.device)  # brings it up for this process, a second, meanwhile
        self.process = self.spawn("none")
        with contextlib.ExitStack() as failed:
            failed.callback(self.close)
            with self.blamed():
                self._begin()
            failed.pop_all()
        return self

    @contextlib.contextmanager
    def blamed(self) -> Iterator[None]:
        """What fails in here, before any candidate has come, is the task's fault: TaskError; or CannotJudgeError where
        it is not. LostError where its process can do nothing more on a GPU, and may be asked with more care."""
        try:
            yield
        except RefusalError as refusal:
            if not self.care.rehearses and has_lost_device(refusal):
                raise LostError(self.care._replace(rehearses=True)) from refusal
            raise refusals.error_of(self.task, refusal) from refusal
        except SlowWorkerError as error:
            raise TaskError(f"task {self.task.name}: the reference gave no answer in time") from error
        except (WorkerGoneError, RuntimeError) as error:
            raise refusals.failure_of(self.task, error, self.process, is_own=not self.sets) from error

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, arena: str, slots: list[int], timeout_s: float, **how: Any) -> float:
        """As any side does, and on the CPU before if it rehearses."""
        for slot in sorted({*slots}) if self.care.rehearses else ():
            self.rehearse(slot=slot)
        return super().run(arena, slots, timeout_s, **how)

    def rehearse(self, **asked: Any) -> None:
        """On the CPU what is asked of it (see `Worker.rehearse`). RefusalError where it raises there."""
        self.synchronize()  # what it is asked on lies there
        self.process.request("rehearse", self.config.build_timeout_s, **asked)

    def spawn(self, walls: Walls, *, compiles: bool = False) -> WorkerProcess:
        """A worker for this task, with torch.compile loaded if it `compiles`. A trusted one's compiled code is kept."""
        trusted = walls != "all"
        return WorkerProcess(
            device=self.device, precision=self.task.precision, mode=self.task.mode, threads=self.threads,
            cores=self.config.cores, walls="none" if self.config.sandbox == "none" else walls,
            cache=COMPILED if trusted else None, compiles_in=COMPILED if compiles else None,
            readable=(self.task.import_path,) if self.task.import_path else (), kit=None if trusted else self.kit,
        )  # fmt: skip

    @property
    def patience_s(self) -> float:
        """How long it may take: on its own values as long as a build, on others as long as a hundred of its calls do,
        or a third of a minute."""
        most = self.config.build_timeout_s
        return min(most, max(_PATIENCE_S, _PATIENCE_CALLS * self.call_s)) if self.sets else most

    def draw_seed(self) -> int:
        """A fresh seed from the session's own source."""
        return self.random.getrandbits(62)

    def draw(self, arena: str, slots: list[int], kinds: list[str] | None = None) -> None:
        """New values into slots of one of the reference's own arenas."""
        self.lease.give_way()
        if not self.room.keeps:  # what the parent took of the turns before is free, and would stay its own
            give_back(self.device)
        self.synchronize()  # what is copied from there is there still
        seeds, kinds = [self.draw_seed() for _ in slots], kinds or ["own"] * len(slots)
        self.process.request("make_inputs", REQUEST_TIMEOUT_S, arena=arena, slots=slots, seeds=seeds, kinds=kinds,
                             stay=self.looks.stay(len(self.input_leaves)))  # fmt: skip

    def draws(self, slots: int) -> Arena:
        """The arena into which inputs for timed calls are drawn."""
        if self._draws is None:
            self._draws = self.attach("draws", Layout(self.input_leaves, (), slots, 0))
        return self._draws

    def _begin(self) -> None:
        self.build_seed = self.draw_seed()
        path = self.process.write("task.py", self.task.source)
        loaded = self.process.request(
            "load", self.config.build_timeout_s, role="reference", path=path, import_path=self.task.import_path,
            module="task", class_name="Model", seed=self.build_seed, inline=False, given=None, opens=0,
        )  # fmt: skip
        self.init = loaded["init"]
        self._describe()
        self.said = operations.said_of_weights(self.text, [decode(value) for value in self.init])
        found = self.process.request("state", REQUEST_TIMEOUT_S)  # a first call may make buffers
        self.state: list[list[Any]] = found["state"]
        self.state_nbytes = weights.layout(self.state).input_slot_nbytes
        """Bytes of its weights and buffers, as they lie in a slot."""
        self.watched_state = [spec for spec in self.state if spec[0] in found["buffers"]]
        self.extra = found["extra"]
        own = Layout(self.input_leaves, self.output_leaves, 1, 2)
        exact = Layout(self.input_leaves, tuple(leaf.widened() for leaf in self.output_leaves), 1, 1)
        if self.device.startswith("cuda"):
            sizes = room.Sizes(own.input_slot_nbytes, own.output_slot_nbytes, exact.output_slot_nbytes,
                               self._drawn_nbytes, self.call_nbytes, self.state_nbytes,
                               sets.kept_nbytes(own, exact, self.state_nbytes, self.device, self.text),
                               rivals=any(name != "eager" for name in self.config.baselines))  # fmt: skip
            self.have(self._claims.enter_context(room.for_task(self.task.name, self.device, sizes, self.starts)))
        self.verify_layout = own._replace(input_slots=sets.SLOTS, output_slots=sets.OUTPUTS)
        self.verify_arena = self.attach("verify", own, exact.nbytes)
        self.oracle_arena = self.lay("oracle", exact)
        self.attach_weights(self.state)
        self.weights = {0: self.save_weights()}
        self.has_other_weights = bool(self.state)
        self.own_sets = sets.OWN if self.room.keeps else sets.OWN - 1

    def time_calls(self) -> None:
        """Learn how long a call takes, where others may have been at work on its device until here."""
        if self.device != "cpu":
            with self.lease.alone():
                self.call_s = min(self.run("verify", [0, 0], self.config.build_timeout_s) for _ in range(_TIMED_CALLS))
            self.verify_arena.rows[0].copy_(self.sets[0].inputs)
            self.begin_anew()
        give_back(self.device)

    def have(self, room: room.Room) -> None:
        """There is room for that much from here on; what is left out is noted."""
        self.room = room
        self.notes = [note for note in self.notes if note.check != "room"]
        if room.said:
            self.notes.append(Finding(check="room", detail=f"too large to leave nothing out: {room.said}"))

    def _describe(self) -> None:
        described = self.process.request("describe_inputs", REQUEST_TIMEOUT_S, seed=self.draw_seed())
        self._drawn_nbytes, self.given = int(described["nbytes"]), described["given"]
        self.text = asks.by_name(self.text, self.given, len(described["inputs"]))
        leaves: list[Leaf] = []
        for item in described["inputs"]:
            kind, store = ("leaf", leaves) if "leaf" in item else ("value", self.constants)
            self.order.append([kind == "leaf", len(store)])
            store.append(Leaf.parse(item["leaf"]) if kind == "leaf" else item["value"])
        self.input_leaves = tuple(leaves)
        ask = functools.partial(self.process.request, "describe_outputs", self.config.build_timeout_s)
        seed = self.draw_seed()
        if self.care.rehearses:
            self.rehearse(seed=seed)
        try:
            out = ask(seed=seed)
        except RefusalError as refusal:  # no room is claimed yet, and whoever has it all may soon be ended
            if self.device == "cpu" or not refusals.is_for_memory(refusal):
                raise
            room.wait_while_full(self.device)
            out = ask(seed=self.draw_seed())
        self.output_leaves = tuple(map(Leaf.parse, out["outputs"]))
        self.structure, self.call_nbytes = out["structure"], int(out["nbytes"])

    def save_weights(
        self, how: str = "", but: Sequence[str] = (), names: list[str] | None = None, under: int = 0
    ) -> Held:
        """Its weights, or others (see `weights.saved`), all `but` some, or those named alone; under a seed, or this."""
        seed = (under or self.draw_seed()) if how else None
        how_so: dict[str, Any] = {"names": names, "seed": seed, "how": how, "but": list(but), "said": self.said}
        saved = self.process.request("save_state", REQUEST_TIMEOUT_S, spec=self.state, **how_so)
        lie = self.weights_arena.rows[0]
        row = lie.to(lie.device if self.room.keeps else "cpu", copy=True)
        self.synchronize()  # other weights may lie there then
        return Held(row, saved["names"], names is not None)

    @property
    def free_index(self) -> int:
        """Under which more weights may be kept, beside those of `sets.WEIGHTS`."""
        return max(len(sets.WEIGHTS), *(1 + each for each in self.weights))

    def load_weights(self, which: int) -> None:
        """Give the reference the weights of that index."""
        self.lease.give_way()
        self.load(self.weights, which, loaded=which)
        self.loaded = which

    def begin_anew(self) -> None:
        """From the weights that it has, and the state with them, where calls change that."""
        if self.changes:
            self.load_weights(self.loaded)

    @contextlib.contextmanager
    def under(self, which: int) -> Iterator[None]:
        """In here the reference has the weights of that index, and then those of before again."""
        before = self.loaded
        try:
            if which != before:
                self.load_weights(which)
            yield
        finally:
            if which != before and not self.process.has_failed:
                self.load_weights(before)

    def kept(self, tensor: torch.Tensor) -> torch.Tensor:
        """It where the sets are kept."""
        return tensor if self.room.keeps else self._host.copy(tensor)

    def kept_exactly(self, exact: torch.Tensor) -> torch.Tensor:
        """The same for the oracle's output; on the host half as wide: a rounding of 3e-8, where 1e-4 passes."""
        narrow = {torch.float64: torch.float32, torch.complex128: torch.complex64}.get(exact.dtype, exact.dtype)
        its_own = any(leaf.torch_dtype == exact.dtype for leaf in self.output_leaves)
        return self.kept(exact if self.room.keeps or its_own else exact.to(narrow))

    def bound(self, leaf: Leaf, error: verify.Errors) -> verify.Bound:
        """What passes for an output leaf where the reference errs so."""
        return verify.bound(self.precision, leaf.torch_dtype, error)

    def own_outputs(self, inputs: torch.Tensor) -> list[torch.Tensor]:
        """Of what lies in its slot, which is `inputs`."""
        self.lease.give_way()
        is_long = len(self.sets) >= _TIMED_SETS and self.call_s >= _SHORT_S
        calls = 1 if is_long or self.changes else 2  # the first takes a little longer
        self.call_s = min(self.call_s, self.run("verify", [0] * calls, self.patience_s))
        out = [leaf.clone() for leaf in self.verify_arena.output(0)]
        self.mutates_inputs |= not verify.same(self.verify_arena.rows[0], inputs)
        self.verify_arena.rows[0].copy_(inputs)
        return out

    def ask_oracle(self, rounding: str | None = None, in_products: str = "") -> list[torch.Tensor]:
        """The oracle's outputs on what lies in the slot, see `oracle.outputs`. RefusalError where it raises, and
        torch.OutOfMemoryError where other judges, or this session's own sides, have too much of the device."""
        self.lease.give_way()
        self.begin_anew()
        self.oracle_arena.poison()
        self.synchronize()
        how = {"rounding": rounding, "in_products": in_products}
        try:
            if self.care.rehearses:
                self.rehearse(slot=0, how=how)
            self.process.request("oracle", self.patience_s, arena="verify", slot=0, how=how)
        except RefusalError as refusal:
            kind = self.device.partition(":")[0]
            beside = sum(arena.block.numel() for arena in self.arenas if arena.block.device.type == kind)
            had_room = bool(self.sets) and self.has_oracle and refusals.is_for_memory(refusal)
            if had_room or refusals.wants_less(str(refusal), beside=beside):
                raise torch.OutOfMemoryError(f"no room for the oracle: {refusal}") from refusal
            raise
        return [leaf.clone() for leaf in self.oracle_arena.output(0)]

    def oracle_outputs(self, own: list[torch.Tensor]) -> list[torch.Tensor]:
        """The oracle's, of what lies in the slot; its `own` of integers, and where float64 cannot be asked."""
        try:
            exact = self.ask_oracle()
        except RefusalError as refusal:
            if self.has_oracle:
                detail = f"compared with the reference itself: {refusal}"
                self.notes.append(Finding(check="no_float64_oracle", detail=detail))
            return list(map(with_arithmetic, own))
        return [e if is_continuous(o) else o for e, o in zip(exact, own, strict=True)]

    def rounded(self, wanted: InputSet, kind: str, in_products: str = "") -> list[torch.Tensor] | None:
        """The oracle's outputs of inputs and weights rounded so (one of `ROUNDINGS`), or of what is `in_products`
        alone; None where it cannot be asked."""
        try:
            return self.exact_of(wanted.inputs, wanted.weights, kind, in_products)
        except torch.OutOfMemoryError:  # what is asked so is evidence, and no verdict without it
            return None

    def exact_of(
        self, row: torch.Tensor, weights: int, rounding: str | None = None, in_products: str = ""
    ) -> list[torch.Tensor] | None:
        """The oracle's outputs for any input (a slot's row) under the weights of that index; None where it raises, and
        torch.OutOfMemoryError as `ask_oracle`."""
        self.verify_arena.rows[0].copy_(row)
        try:
            with self.under(weights):
                return self.ask_oracle(rounding, in_products)
        except RefusalError:
            return None
        finally:
            if self.sets:
                self.verify_arena.rows[0].copy_(self.sets[0].inputs)

    @property
    def has_oracle(self) -> bool:
        """Whether float64 can be asked."""
        return not any(note.check == "no_float64_oracle" for note in self.notes)

    def timed_bounds(self, kind: str) -> list[verify.Bound]:
        """What a timed output on values of that kind may differ by from eager's, by leaf: both err."""
        return self.other_bounds[kind] if kind != "own" else [bound.beside(self.error) for bound in self.bounds]

    def leaves_of(self, row: torch.Tensor) -> list[torch.Tensor]:
        """The input tensors in a slot's row."""
        block, columns = row.view(torch.uint8).view(-1), self.verify_layout.columns()
        return [leaf.view(block, first) for leaf, (first, _, _) in zip(self.input_leaves, columns, strict=True)]

    def numbers_of(self, row: torch.Tensor) -> list[torch.Tensor]:
        """Those of them in which something is computed; of complex ones their parts."""
        parts = (torch.view_as_real(leaf) if leaf.is_complex() else leaf for leaf in self.leaves_of(row))
        return [leaf for leaf in parts if leaf.is_floating_point() and not is_float8(leaf)]

    def close(self) -> None:
        """End the process and free what the session holds; then others may have its room."""
        with self._claims:
            super().close()
            self.weights, self.sets, self.later, self.parts, self._draws = {}, [], [], [], None
            self._host.close()
            if self.device.startswith("cuda"):
                torch.cuda.empty_cache()
