"""A contender: the process of one candidate or baseline, and the checks of what it put into the judge's memory.

It gets code, constructor arguments, weights and inputs; it is checked against what the parent keeps.
"""

from __future__ import annotations

import torch

from cuda_l1.judge import verify
from cuda_l1.judge.arena import Arena
from cuda_l1.judge.process import Turn
from cuda_l1.judge.reference import REQUEST_TIMEOUT_S, VERIFY_SETS, Reference, Side
from cuda_l1.types import Candidate, Finding, Status


class CandidateError(Exception):
    """A candidate did not pass: the status, the check that saw it, and the evidence."""

    def __init__(self, status: Status, check: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.check, self.detail = status, check, detail


class Contender(Side):
    """A candidate's process, or a baseline's (trusted: the task's own source, with a cache)."""

    def __init__(self, candidate: Candidate, reference: Reference, *, trusted: bool) -> None:
        super().__init__(reference.device, reference.constants, reference.order, reference.structure)
        self.candidate, self.reference, self.config = candidate, reference, reference.config
        self.process = reference.spawn(trusted=trusted)
        self.cold = True

    def build(self) -> list[Finding]:
        """Import, construct, take the weights, map the arenas. Returns notes."""
        ref = self.reference
        path = self.process.write("candidate.py", self.candidate.code)
        loaded = self.process.request(
            "load", self.config.build_timeout_s, role="candidate", path=path, import_path=ref.task.import_path,
            class_name="ModelNew", seed=ref.build_seed, init=ref.init,
        )  # fmt: skip
        notes = []
        missing = self._load_weights(0)
        theirs = {name for name, _, _ in loaded["state"]}
        self.same_weights = not missing and theirs == {name for name, _, _ in ref.state}
        if not self.same_weights:
            names = sorted(theirs ^ {name for name, _, _ in ref.state}) or missing
            detail = (
                f"state_dict differs in {', '.join(map(str, names[:4]))}: equal weights rest on equal construction "
                "under one seed, and other weights could not be tried"
            )
            notes.append(Finding(check="weights_by_seed", detail=detail))
        self.verify_arena = self.attach("verify", ref.verify_arena.layout)
        self.time_arena = self.attach("time", ref.time_arena.layout)
        return notes

    def _load_weights(self, which: int) -> list[str]:
        reply = self.process.request(
            "load_state", REQUEST_TIMEOUT_S, fd=self.reference.weights[which], spec=self.reference.state
        )
        return list(reply["missing"])

    def check(self) -> verify.Errors:
        """Verify outputs on inputs new to this process, under both weights; CandidateError at the first wrong one."""
        errors = self._check_sets([0, 1])
        if self.same_weights and self.reference.state:
            self._load_weights(1)
            errors = verify.worst_of([errors, self._check_sets([2])])
            self._load_weights(0)
        return errors

    def _check_sets(self, sets: list[int]) -> verify.Errors:
        arena, ref = self.verify_arena, self.reference
        arena.input_block.copy_(ref.verify_inputs)
        arena.poison()
        ref.synchronize()
        self._run("verify", sets)
        self.check_inputs(arena, ref.verify_inputs)
        found = []
        for position, index in enumerate(sets):
            for leaf, (out, expected, bound) in enumerate(
                zip(arena.outputs[position], ref.expected[index], ref.bounds, strict=True)
            ):
                errors = verify.compare(out, expected)
                if not bound.holds(errors):
                    raise self._wrong(position, index, leaf, errors, bound, sets)
                found.append(errors)
        return verify.worst_of(found)

    def _wrong(
        self, position: int, index: int, leaf: int, errors: verify.Errors, bound: verify.Bound, sets: list[int]
    ) -> CandidateError:
        out, ref = self.verify_arena.outputs[position][leaf], self.reference
        for other in sets[position + 1 :]:
            if not ref.degenerate and bound.holds(verify.compare(out, ref.expected[other][leaf])):
                detail = (
                    f"output {leaf} of call {position} became the output of a later call: the result lies in a buffer "
                    "that the next call reuses; return a fresh tensor or a clone"
                )
                return CandidateError(Status.REJECTED, "output_overwritten", detail)
        weights = " with other weights loaded in place" if index == VERIFY_SETS - 1 else ""
        detail = (
            f"output {leaf}, input set {index}{weights}: {errors.worst}; error {errors.norm:.3g} in the norm "
            f"(at most {bound.norm:.3g}), {errors.element:.3g} in the worst element (at most {bound.element:.3g})"
        )
        return CandidateError(Status.WRONG_OUTPUT, "error", detail)

    def check_inputs(self, arena: Arena, original: torch.Tensor) -> None:
        """CandidateError if the inputs are not what the judge put there (unless the reference changes them too)."""
        if not self.reference.mutates_inputs and not torch.equal(arena.input_block, original):
            raise CandidateError(
                Status.REJECTED, "inputs_modified", "forward changed its inputs in place, and the reference does not"
            )

    def check_timed(self, positions: list[int]) -> None:
        """Compare outputs of timed calls with the reference's on the same inputs."""
        for position in positions:
            pairs = zip(
                self.time_arena.outputs[position],
                self.reference.time_arena.outputs[position],
                self.reference.bounds,
                strict=True,
            )
            for leaf, (out, expected, bound) in enumerate(pairs):
                errors = verify.compare(out, expected)
                allowed = verify.Bound(
                    bound.norm + self.reference.error.norm, bound.element + self.reference.error.element
                )
                if not allowed.holds(errors):
                    detail = (
                        f"right when verified, wrong when timed: output {leaf}, {errors.worst}; "
                        f"error {errors.norm:.3g} in the norm (at most {allowed.norm:.3g})"
                    )
                    raise CandidateError(Status.REJECTED, "timed_output", detail)

    def turn(self, slots: list[int]) -> Turn:
        """Timed calls of the candidate."""
        return self._run("time", slots)

    def _run(self, arena: str, slots: list[int]) -> Turn:
        first = self.config.build_timeout_s if self.cold else self.config.run_timeout_s
        turn = self.process.turn(
            arena, slots, self.structure, first_timeout_s=first, timeout_s=self.config.run_timeout_s
        )
        self.cold = False
        return turn
