"""A contender: the process of one candidate, baseline or eager copy, and the checks of what came out of it.

It gets code, constructor arguments, weights and inputs; it is checked against what the parent keeps.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from cuda_l1 import foreign
from cuda_l1.correctness import beneath, buffers, diagnosis, edges, narrow, refusals, slices, stepped, verify, watch
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.correctness.sets import EXTREME, SLOTS, InputSet, is_promised, under, written
from cuda_l1.correctness.side import REQUEST_TIMEOUT_S, Side
from cuda_l1.types import Candidate, Finding, Status
from cuda_l1.wire.arena import Arena, Layout, Leaf

MODIFIED = "forward changed its inputs in place, and the reference does not"
_LENT = "an input, or memory not torch's (numpy's): its copy counts as part of each call. Return torch's own tensors"
_COMPILES = re.compile(r"torch\.compile\b")


class Contender(Side):
    """A candidate's process, or a trusted one (baselines, eager: the task's own source, with a cache)."""

    time_arena: Arena
    """Over the memory in which it is verified."""
    call_s = 0.0
    """Its shortest call when it was last checked."""
    misses_steps = False
    """Whether weights that are written to where they lie are none of its: it follows those that are loaded alone."""
    differs = 0.0
    """By what two of its calls on the same values differed when it was checked, in the norm."""
    views: tuple[tuple[Leaf, int] | None, ...] = ()
    """By output leaf: as what view of an input slot, from which byte on, it says to give it."""

    def __init__(
        self, candidate: Candidate, reference: Reference, *, trusted: bool, class_name: str = "ModelNew"
    ) -> None:
        super().__init__(reference.device, reference.constants, reference.order, reference.structure)
        self.candidate, self.reference, self.config = candidate, reference, reference.config
        self.class_name = class_name
        # a filter of system calls takes its time from who has it, on a CPU 2 to 3% of short calls: all sides have it
        self.process = reference.spawn("calls" if trusted else "all", compiles=bool(_COMPILES.search(candidate.code)))

    def begin(self, layout: Layout, *, full: bool) -> None:
        """Have it import, construct, take the weights and map its memory; `finish` waits for that. Only a `full` one
        has room to be checked in full."""
        ref = self.reference
        path = self.process.write(foreign.file_name(self.candidate.author, "candidate.py"), self.candidate.code)
        self.process.post(
            "load", self.config.build_timeout_s, role="candidate", path=path, import_path=ref.task.import_path,
            module="candidate", class_name=self.class_name, seed=ref.build_seed, init=ref.init, given=ref.given,
            inline="cpp_extension" in self.candidate.code,
            opens=layout.input_slot_nbytes if layout.input_slots > 1 else 0,
        )  # fmt: skip
        self.attach_weights(ref.state)
        self.post_load(ref.weights[0])
        wanted = ref.verify_layout if full else ref.verify_layout._replace(input_slots=1, output_slots=1)
        self.verify_arena = self.attach("verify", wanted, layout.nbytes)
        self._time_layout = layout
        self.verify_arena.rows[0].copy_(ref.sets[1].inputs)  # the first call sees what later ones see elsewhere
        self.synchronize()

    def finish(self) -> list[Finding]:
        """Wait for the build and the first call. Returns notes."""
        ref = self.reference
        self.process.settle()
        asked = {"arena": "verify", "slot": 0, "views": ref.structure[2]}
        made = self.process.ask("warm", self.config.build_timeout_s, "outputs", list, **asked)
        leaves = self._as_made(made)
        self.time_arena = self.lay("time", self._time_layout._replace(outputs=leaves))
        self.views = self._as_views(made)
        loaded = self.process.ask("state", REQUEST_TIMEOUT_S, "state", list)
        own = set(map(json.dumps, loaded))  # what stands beside the reference's, tables and masks, it makes for itself
        lacking = [f"{spec[0]} ({spec[2]} of {spec[1]})" for spec in ref.state if json.dumps(spec) not in own]
        self.same_weights = not lacking
        notes = [Finding(check="lent_output", detail=f"output {n} lies in {_LENT}") for n in _lent(made)[:1]]
        other = [i for i, (own, its) in enumerate(zip(leaves, ref.output_leaves, strict=True)) if not own.lies_as(its)]
        if other:
            said = "lies in memory in another order than the reference's: who reads it may pay for it"
            notes.append(Finding(check="output_layout", detail=f"output {other[0]} {said}"))
        if self.same_weights:
            return notes
        detail = (
            f"state_dict lacks {', '.join(lacking[:4])}: other weights could not be tried, and equal ones rest on "
            "equal construction under one seed: no win. Hold all that the reference's holds, by its names, shapes and "
            "dtypes, a buffer that forward does not read too; more may stand beside it"
        )
        return [*notes, Finding(check="weights_by_seed", detail=detail)]

    def _as_made(self, made: list[Any]) -> tuple[Leaf, ...]:
        """The output leaves with the strides that this candidate gives them, where they fill their memory without gaps:
        to turn another layout into ours is the judge's work, and no part of the candidate's time."""
        expected = self.reference.output_leaves
        try:
            leaves = tuple(map(Leaf.parse, made))
            if not all(_are_places(*leaf.shape, *leaf.stride) for leaf in leaves):
                return expected
        except (TypeError, ValueError, LookupError):
            return expected
        fits = len(leaves) == len(expected) and all(
            own.shape == its.shape and own.dtype == its.dtype and own.is_dense
            for own, its in zip(leaves, expected, strict=True)
        )
        return leaves if fits else expected

    def _as_views(self, made: list[Any]) -> tuple[tuple[Leaf, int] | None, ...]:
        found: list[tuple[Leaf, int] | None] = []
        for wanted, said in zip(self.reference.output_leaves, made, strict=False):
            try:
                offset, stride = said[3]
                view = Leaf(wanted.shape, tuple(stride), wanted.dtype)
                fits = _are_places(offset, *stride) and len(stride) == len(wanted.shape)
                fits = fits and offset % view.torch_dtype.itemsize == 0
                fits = fits and offset + view.nbytes <= self._time_layout.input_slot_nbytes
            except (TypeError, ValueError, LookupError):
                fits = False
            found.append((view, offset) if fits else None)
        return tuple(found)

    def use_weights(self, which: int, *, again: bool = False, is_step: bool = False) -> None:
        """Give it the reference's weights of that index, unless it has them and not `again`."""
        if again or which != self.loaded:
            self.reference.lease.give_way()
            self.load(self.reference.weights, which, self.loaded, is_step=is_step)
            self.loaded = which

    def check(self) -> verify.Errors:
        """Its largest errors on inputs new to this process; CandidateError at the first wrong output."""
        sets = self.reference.sets
        first, *_, last = self._plain_sets()
        # with the last, new values under an address used before; then old values under a new address
        fresh, before = self.check_fresh()
        errors = [fresh, self.check_on([last, first])]
        again = zip(self.verify_arena.output(1), before, strict=False)
        self.differs = max((verify.compare(*leaf).norm for leaf in again if not torch.equal(*leaf)), default=0.0)
        for which in sorted({s.weights for s in sets} - {0}) if self.same_weights else []:
            self.use_weights(which)
            found = self.check_on([s for s in sets if s.weights == which])
            errors += [] if which in EXTREME else [found]  # the reference's own error counts none of these either
        for part in self.reference.parts if self.same_weights else []:
            self._check_part(part)
        if self.same_weights and self.reference.parts:
            part = self.reference.random.choice(self.reference.parts)
            self.misses_steps = not verify.all_hold(part.bounds, self._of_part(part, is_step=True), part.expected)
        self.use_weights(0)
        self._check_left()
        others = [s for s in sets if s.kind != "own" and not s.weights and is_promised(s.kind, self.reference.text)]
        for number in range(0, len(others), SLOTS):
            self.check_on(others[number : number + SLOTS])
        self.check_written()
        return verify.worst_of(errors)

    def _of_part(self, part: InputSet, *, is_step: bool = False) -> list[torch.Tensor]:
        """Its outputs where some weights alone are others."""
        before = part.after or self.reference.sets[0]
        self.use_weights(before.weights)
        self.check_on([before])  # what it makes of its weights it has made of those before
        self.use_weights(part.weights, is_step=is_step)
        return self._given(part.inputs)

    def _check_part(self, part: InputSet) -> None:
        """CandidateError where its answer is not that of those weights."""
        out = self._of_part(part)
        for leaf, bound in enumerate(part.bounds):
            errors = verify.compare(out[leaf], part.expected[leaf])
            if bound.holds(errors):
                continue
            differs = edges.Held(leaf, bound.missed_by(errors))
            held = edges.held_against(self.reference, part.inputs, out, part.expected, part.weights, "own", differs)
            if held is None:
                break
            its, wanted = out[held.leaf], part.expected[held.leaf]
            raise diagnosis.wrong(self.reference, self.candidate.code, part, held, its, verify.compare(its, wanted))

    def _check_left(self) -> None:
        """CandidateError where its buffers after a call are not the reference's."""
        ref = self.reference
        for made, wanted in ref.lefts if self.same_weights and ref.seen_state else []:
            self.verify_arena.rows[0].copy_(made.inputs)
            some = [spec for spec in ref.seen_state if spec[0] in wanted]
            left = buffers.after_a_call(self, ref.weights, some, ref.changes, which=made.weights)
            lost = watch.state_lost(ref, left, wanted) if made is ref.sets[0] else ""
            if said := narrow.state_differs(ref, left, wanted, made) or lost:
                raise CandidateError(Status.WRONG_OUTPUT, "state", said)

    def check_briefly(self) -> None:
        """The same on one input set: enough for a second process of code that passed in full."""
        self.use_weights(0)
        self.check_on(self.reference.sets[:1])

    def check_fresh(self, *, later: bool = False) -> tuple[verify.Errors, list[torch.Tensor]]:
        """Two calls, and CandidateError too if a result changes with the next; what the first gave, where there is room
        for it. Asked again of a process long at work: by then a graph may be captured, or a buffer kept; `later`, on
        values that it has not met."""
        both = (self.reference.later[-SLOTS:] if later else []) or self._plain_sets()[:2]
        self._begin_anew()
        errors = self.check_on(both, again=True)
        keeps, is_asked = self.reference.room.keeps, errors.norm > beneath.LEAST and beneath.is_asked(self.reference)
        kept = range(len(both) if is_asked else 1 if keeps else 0)
        outs = [[leaf.clone() for leaf in self.verify_arena.output(position)] for position in kept]
        if is_asked and (found := stepped.found(self.reference, both, outs, self.answers)):
            raise diagnosis.below(self.reference, found)
        return errors, outs[0] if outs else []

    def answers(self, row: torch.Tensor, which: int) -> list[torch.Tensor]:
        """Its outputs on a row of inputs under those weights, and again under its own then."""
        self.use_weights(which if self.same_weights else 0)
        out = [leaf.clone() for leaf in self._given(row)]
        self.use_weights(0)
        return out

    def _given(self, row: torch.Tensor) -> list[torch.Tensor]:
        """Its outputs on a row of inputs, where they lie."""
        self.verify_arena.rows[0].copy_(row)
        self.verify_arena.poison()
        self.run("verify", [0], self.config.run_timeout_s)
        return list(self.verify_arena.output(0))

    def check_written(self) -> None:
        """CandidateError if what is written to a result changes another; the module may be spoilt then."""
        first, second = self._plain_sets()[:2]
        self._begin_anew()
        try:
            for leaves in written(self.reference.writable, self.reference.random):
                self.check_on([first, second], writes=leaves)
                self.check_on([first])
        except CandidateError as error:
            detail = "once somebody wrote to the result of a call another is wrong: return memory of its own"
            raise CandidateError(Status.REJECTED, "output_kept", f"{detail}; {error.detail}") from error

    def _plain_sets(self) -> list[InputSet]:
        """Of the task's own values, under its own weights."""
        return [s for s in self.reference.sets if s.kind == "own" and not s.weights]

    def _begin_anew(self) -> None:
        """From the reference's own weights, and its state where calls move that."""
        self.use_weights(0, again=bool(self.reference.changes) and self.same_weights)

    def check_on(self, sets: list[InputSet], *, again: bool = False, writes: Sequence[int] = ()) -> verify.Errors:
        """Run the sets, in slots from 0 on, and compare all outputs after the last call; see `Side.run`."""
        arena, ref = self.verify_arena, self.reference
        ref.lease.give_way()
        for slot, input_set in enumerate(sets):
            arena.rows[slot].copy_(input_set.inputs)
        arena.poison()
        with refusals.told_of(sets):
            self.call_s = self.run("verify", [*range(len(sets))], self.config.run_timeout_s, again=again, writes=writes)
        if not ref.mutates_inputs and not all(
            verify.same(arena.rows[slot], input_set.inputs) for slot, input_set in enumerate(sets)
        ):
            raise CandidateError(Status.REJECTED, "inputs_modified", MODIFIED)
        found = []
        for position, input_set in enumerate(sets):
            for leaf, out in enumerate(arena.output(position)):
                wanted, bound = input_set.expected[leaf], input_set.bounds[leaf]
                errors = verify.compare(out, wanted)
                answer = edges.Answer(input_set.inputs, input_set.weights, leaf, out, wanted, bound)
                if not bound.holds(errors):
                    if not edges.undecided(ref, answer):
                        held = edges.Held(leaf, bound.missed_by(errors))
                        raise diagnosis.wrong(ref, self.candidate.code, input_set, held, out, errors)
                    errors = verify.EXACT
                elif missing := edges.lost(ref, answer, input_set.watched[leaf]):
                    raise CandidateError(Status.WRONG_OUTPUT, "error", f"output {leaf}, {input_set.name}: {missing}")
                found.append(errors)
            later = arena.output(len(sets) + position) if again and position < len(sets) - 1 else []
            for leaf, (out, early) in enumerate(zip(later, arena.output(position), strict=False)):
                if not verify.same(*(each.reshape(-1).view(torch.uint8) for each in (out, early))):
                    detail = (
                        f"output {leaf} of call {position} changed when forward was called again: the result lies in a "
                        "buffer that the next call reuses; return a fresh tensor or a clone"
                    )
                    raise CandidateError(Status.REJECTED, "output_overwritten", detail)
        return verify.worst_of(found)

    def check_timed(
        self, out: list[torch.Tensor], expected: list[torch.Tensor], *,
        given: torch.Tensor, was: torch.Tensor, found: torch.Tensor, kind: str,
    ) -> list[torch.Tensor]:  # fmt: skip
        """Compare the outputs of one timed call with eager's on the same inputs, of that kind: bytes of a slot, as
        `given`, as they `was` after the call, and as they were `found` when it was delivered: an output that is a view
        shows the latter, and what is computed by then is computed from it. The outputs as they were."""
        ref = self.reference
        outputs = list(out)
        for leaf, got in enumerate(out):
            if leaf < len(self.views) and (said := self.views[leaf]) is not None:
                view, offset = said
                if torch.equal(got, view.view(found, offset)):  # moved and not computed: as it was, then
                    outputs[leaf] = view.view(was, offset)
        each = zip(outputs, expected, ref.timed_bounds(kind), ref.watched_by_kind[kind], strict=True)
        for leaf, (got, want, allowed, watched) in enumerate(each):
            if verify.is_near(got, want, allowed) or allowed.holds(errors := verify.compare(got, want)):
                missing = slices.lost(got, want, watched)
            else:
                missing = allowed.missed_by(errors)
            if not missing:
                continue
            differs = edges.Held(leaf, missing)
            if held := edges.held_against(ref, given, outputs, expected, self.loaded, kind, differs):
                detail = (
                    f"right when verified, wrong when timed: output {held.leaf}, {kind} values{under(self.loaded)}, "
                    f"{held.missing} (meanwhile weights are changed in place; what is computed after the call is "
                    "computed from other inputs; some outputs are taken after the next call)"
                )
                raise CandidateError(Status.REJECTED, "timed_output", detail)
        return outputs


def started(
    candidate: Candidate, reference: Reference, layout: Layout, count: int, *, trusted: bool,
    class_name: str = "ModelNew", full: bool = False,
) -> list[Contender]:  # fmt: skip
    """Processes of a candidate, all starting and building at once; the first is a `full` one."""
    contenders: list[Contender] = []
    try:
        for _ in range(count):
            contenders.append(Contender(candidate, reference, trusted=trusted, class_name=class_name))
        for number, contender in enumerate(contenders):
            contender.begin(layout, full=full and number == 0)
    except BaseException:
        close(contenders)
        raise
    return contenders


def close(contenders: Iterable[Contender]) -> None:
    """End their processes, all of them whatever comes between."""
    with contextlib.ExitStack() as every:
        for contender in contenders:
            every.callback(contender.close)


def _lent(made: list[Any]) -> list[int]:
    """Which of the outputs that a process says to have made are lent."""
    return [number for number, said in enumerate(made) if isinstance(said, list) and said[4:] == [True]]


def _are_places(*said: Any) -> bool:
    """Whether what a process says are whole numbers that bytes of a memory may have."""
    return all(type(number) is int and 0 <= number < 1 << 62 for number in said)
