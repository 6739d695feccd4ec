"""What a session says of a task: its facts. And of a candidate beside its verdict: labels, signals, what it ran, the
roofline, and the byte floor.

Facts about the task come from the reference's process; those about a candidate from its own, which may lie. So labels
and signals are notes. Findings are only the byte floor, which rests on the reference and on the parent's clock, and an
operator that its own process says was registered anew: nobody lies to be rejected.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import torch
from pydantic import ValidationError

from cuda_l1.correctness import refusals
from cuda_l1.correctness.contender import Contender
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.correctness.side import REQUEST_TIMEOUT_S
from cuda_l1.evidence import labels, roofline, signals
from cuda_l1.evidence.profile import Profile
from cuda_l1.evidence.work import Work
from cuda_l1.foreign import one_line
from cuda_l1.processes import operators
from cuda_l1.processes.process import honest
from cuda_l1.timing.race import Race
from cuda_l1.types import (
    MOST_COUNT,
    MOST_QUANTITY,
    Candidate,
    Finding,
    Kernel,
    Label,
    Status,
    TaskFacts,
    TensorSpec,
)
from cuda_l1.wire.link import RefusalError, SlowWorkerError, WorkerGoneError


class Explanation(NamedTuple):
    """What changes no verdict."""

    labels: tuple[Label, ...]
    floor: roofline.Floor | None
    kernels: tuple[Kernel, ...]
    notes: list[Finding]

    def fields(self, time_us: float) -> dict[str, Any]:
        """Those of an evaluation, a call of which takes so long."""
        fraction = roofline.fraction(self.floor, time_us) if self.floor else None
        return {"labels": self.labels, "roofline_fraction": fraction or None, "kernels": self.kernels}


class Explainer:
    """What is known of one task's physics, and of what its reference runs; asked for when a candidate first passes."""

    def __init__(self, reference: Reference, rotating_bytes: int) -> None:
        self.reference = reference
        self.rotating_bytes = rotating_bytes
        """See `plan.rotating_nbytes`."""

    def check_floor(self, time_us: float) -> None:
        """CandidateError when a call took less time than its bytes do. Ask while the device is ours."""
        if self.work is None or self.reference.degenerate:
            return
        known = roofline.ceilings(self.reference.device)
        if time_us >= self._floor_us(self.work.input_bytes, known):  # as if all inputs mattered: no need to look closer
            return
        known = self.fresh_ceilings
        floor = self._floor_us(self.dependent_bytes, known)
        if time_us < floor:
            detail = (
                f"{time_us:.3g} us a call, and to read {self.dependent_bytes or 0} bytes of the inputs on which the "
                f"output depends and to write {self.work.output_bytes} bytes takes {floor:.3g} us at least at "
                f"{roofline.MARGIN * known.bytes_per_s / 1e9:.0f} GB/s: the work was not done within the call"
            )
            raise CandidateError(Status.REJECTED, "byte_floor", detail)

    def check_operators(self, *races: Race) -> None:
        """CandidateError when a process has put code of its own behind an operator that the judge calls there. It was
        asked amid its race: who knows that it is over takes off what he put there."""
        for its in (each for race in races for each in race.operators):
            if said := operators.changed(its, self.operators):
                said = f"an operator of torch that the judge calls too was registered anew ({said})"
                raise CandidateError(Status.REJECTED, "operators", f"{said}: give it another name")

    def explain(self, contender: Contender, time_us: float) -> Explanation:
        """Labels, floor and notes of a candidate that passed. Its process may not survive this."""
        candidate = contender.candidate
        profile, why = self._profile(contender)
        found = labels.labels(profile, self.profile, candidate.code, candidate.language)
        notes = [Finding(check="label", detail=f"{one.label} ({one.grade}): {one.detail}") for one in found]
        if profile is None:
            notes.append(Finding(check="label", detail=f"no profile of the candidate: {why}"))
        elif idle := labels.unlaunched(profile, candidate.code):
            notes.append(
                Finding(check="label", detail=f"defines device kernels ({', '.join(idle[:4])}): none of them ran")
            )
        floor = None
        if self.work is not None:
            known = roofline.ceilings(self.reference.device)
            floor = roofline.floor_us(self.work, known, self.reference.task.precision)
            if time_us < max(floor):
                floor = roofline.floor_us(self.work, self.fresh_ceilings, self.reference.task.precision)
            if time_us < floor.operation_us:
                detail = (
                    f"{time_us:.3g} us a call; the reference's operations take {floor.operation_us:.3g} us at the "
                    "machine's best: fewer operations, or a lower precision"
                )
                notes.append(Finding(check="operation_floor", detail=detail))
        kernels = () if profile is None else most_time(profile)
        return Explanation(tuple(dict.fromkeys(one.label for one in found)), floor, kernels, notes)

    def facts(self) -> TaskFacts:
        """What the reference does and the device can do. Ask while the device is ours."""
        known, work, ref = roofline.ceilings(self.reference.device), self.work, self.reference
        floor = None if work is None else roofline.floor_us(work, known, ref.task.precision)
        return TaskFacts(
            inputs=tuple(TensorSpec(shape=leaf.shape, dtype=leaf.dtype) for leaf in ref.input_leaves),
            outputs=tuple(TensorSpec(shape=leaf.shape, dtype=leaf.dtype) for leaf in ref.output_leaves),
            weights={name: TensorSpec(shape=tuple(shape), dtype=dtype) for name, shape, dtype in ref.state},
            flops=None if work is None else work.flops,
            moved_bytes=None if work is None else work.input_bytes + work.weight_bytes + work.output_bytes,
            byte_us=None if floor is None else floor.byte_us,
            operation_us=None if floor is None else floor.operation_us,
            bytes_per_s=known.bytes_per_s,
            flops_per_s=known.flops_per_s,
            cache_bytes=known.cache_bytes,
            kernels=() if self.profile is None else most_time(self.profile),
        )

    @functools.cached_property
    def fresh_ceilings(self) -> roofline.Ceilings:
        """Measured once more in this session: a machine that was busy the first time looked slower than it is."""
        return roofline.ceilings(self.reference.device, again=True)

    @property
    def work(self) -> Work | None:
        """What the reference does in a call; None where it cannot be counted."""
        return self.reference.work

    @functools.cached_property
    def dependent_bytes(self) -> int | None:
        """Bytes of inputs on which the reference's output depends; None where that is not known, and
        torch.OutOfMemoryError where it would be: a candidate may have all of the device's memory."""
        found = self._of_reference("dependent", needs_room=self.reference.room.keeps)
        return None if found is None else found["bytes"]

    @functools.cached_property
    def profile(self) -> Profile | None:
        """What the reference runs."""
        found = self._of_reference("profile")
        return None if found is None else Profile.model_validate(found)

    @functools.cached_property
    def operators(self) -> dict[str, str]:
        """What stands behind the judge's operators where nobody changed it."""
        return honest(lambda: self.reference.registered(REQUEST_TIMEOUT_S))

    def _floor_us(self, dependent_bytes: int | None, known: roofline.Ceilings) -> float:
        assert self.work is not None
        return roofline.byte_floor_us(dependent_bytes, self.work.output_bytes, self.rotating_bytes, known)

    def _of_reference(self, what: str, *, needs_room: bool = False) -> dict[str, Any] | None:
        def ask() -> dict[str, Any] | None:
            try:
                return self.reference.examine(what, REQUEST_TIMEOUT_S)
            except RefusalError as refusal:
                if needs_room and refusals.is_for_memory(refusal):
                    raise torch.OutOfMemoryError(f"no room to ask the reference: {refusal}") from refusal
                return None

        return honest(ask)

    def _profile(self, contender: Contender) -> tuple[Profile | None, str]:
        try:
            return Profile.model_validate(contender.examine("profile", contender.config.run_timeout_s)), ""
        except ValidationError as error:
            return None, f"{error.error_count()} fields are not what a profile has"
        except (RefusalError, SlowWorkerError, WorkerGoneError) as error:
            return None, f"{type(error).__name__}: {error}"[:300]


_MOST_KERNELS = 12
_LONGEST_NAME = 160


def most_time(profile: Profile) -> tuple[Kernel, ...]:
    """What a profile says took the most time: kernels on the device; without any, operators and functions of extensions
    on the host. What is beyond a dozen comes last, as one. Names are cut, and on one line."""
    every = list(profile.kernels) or [
        Kernel(name=name, count=counts.get(name, 0), us=us, bytes=profile.operator_bytes.get(name) or None)
        for counts, times in ((profile.operators, profile.operator_us), (profile.functions, profile.function_us))
        for name, us in times.items()
    ]
    every.sort(key=lambda kernel: -kernel.us)
    shown, rest = every[:_MOST_KERNELS], every[_MOST_KERNELS:]
    if rest:
        count, us = sum(kernel.count for kernel in rest), math.fsum(kernel.us for kernel in rest)
        shown.append(
            Kernel(name=f"{len(rest)} others", count=min(count, MOST_COUNT), us=min(us, MOST_QUANTITY))  # it may lie
        )
    return tuple(kernel.model_copy(update={"name": one_line(kernel.name, _LONGEST_NAME)}) for kernel in shown)


def of_text(candidate: Candidate) -> list[Finding]:
    """The signals of a candidate's code as notes, one a name."""
    lines: dict[str, list[signals.Signal]] = {}
    for signal in signals.read(candidate.code):
        lines.setdefault(signal.name, []).append(signal)
    return [
        Finding(check="signal", detail=f"{name}, line {', '.join(str(s.line) for s in same[:4])}: {same[0].sentence}")
        for name, same in lines.items()
    ]
