"""Every technique by its name, and how its candidate is made: trace, rewrite, check shapes, write the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch

from cuda_l1.transforms import (
    KNOWN,
    MOST,
    Composition,
    Declined,
    Proposal,
    algebra,
    attention,
    cleanup,
    folding,
    fuse_cpp,
    fuse_triton,
    layout,
    library_functions,
    library_recurrence,
    recurrence,
    require,
    verbatim,
    weights,
)
from cuda_l1.transforms.emit import emit
from cuda_l1.transforms.match import kind
from cuda_l1.transforms.program import DeclineError, Program
from cuda_l1.transforms.tracing import trace
from cuda_l1.types import Candidate, Task

Technique = Callable[[Program], str]

ALGEBRA: dict[str, Technique] = {
    "dead_operations": cleanup.dead_operations,
    "common_subexpressions": cleanup.common_subexpressions,
    "diag_matmul_to_broadcast": algebra.diag_matmul_to_broadcast,
    "pooling_composition": algebra.pooling_composition,
    "matmul_reassociation": algebra.matmul_reassociation,
    "linear_mean_commute": algebra.linear_mean_commute,
    "matmul_sum_to_matvec": algebra.matmul_sum_to_matvec,
    "library_recurrence": library_recurrence.library_recurrence,
    "hoisted_projection": recurrence.hoisted_projection,
    "affine_folding": folding.affine_folding,
    "conv_bn_folding": weights.conv_bn_folding,
    "sdpa": attention.sdpa,
    "prepared_weights": weights.prepared_weights,
    "addmm_folding": weights.addmm_folding,
}
"""In the order in which `rewrites` applies them."""

AFTER: dict[str, Technique] = {
    "library_functions": library_functions.library_functions,
    "inplace_epilogues": cleanup.inplace_epilogues,
}
"""What is done last, and where no kernel is made: a kernel fuses formulas with all around them."""


def rewrites(program: Program) -> str:
    """All algebraic techniques that fit, one after the other, and what then the library or work in place can do."""
    done = _apply_all(program, ALGEBRA | AFTER)
    if len(done) < 2:
        raise DeclineError("fewer than two techniques fit")
    return "; ".join(done)


def _apply_all(program: Program, techniques: dict[str, Technique]) -> list[str]:
    done = []
    for name, technique in techniques.items():
        try:
            done.append(f"{name}: {technique(program)}")
        except DeclineError:
            continue
        program.propagate()
    return done


def compiled_rewrite(program: Program) -> str:
    """torch.compile over the forward that algebra has rewritten."""
    done = _apply_all(program, ALGEBRA)
    if not done:
        raise DeclineError("no algebraic technique fits, so it would be torch.compile alone")
    program.wrapper = "compile"
    return "; ".join(["torch.compile", *done])


def compiled_forward(program: Program) -> str:
    """torch.compile over the forward as it was written.

    What is proposed is the text itself (`verbatim`); what is made of the trace is compared with others' code.
    """
    program.wrapper = "compile"
    return "torch.compile"


def cuda_graph(program: Program) -> str:
    """One launch for the whole forward, after what algebra rewrites and Triton can fuse."""
    captured = _capture(program)
    done = _apply_all(program, ALGEBRA)
    try:
        fuse_triton.fused_triton(program.copy())
    except DeclineError:
        pass
    else:
        done.append(fuse_triton.fused_triton(program))
    return "; ".join([captured, *done])


def _capture(program: Program) -> str:
    if not program.is_cuda:
        raise DeclineError("needs a CUDA device; the device is cpu")
    if any(kind(program, node) == "tensor" for node in program.graph.nodes):
        raise DeclineError("forward copies numbers from the host with torch.tensor, which no capture allows")
    program.wrapper = "graph"
    return "captured as a CUDA graph"


def fused_pointwise(program: Program) -> str:
    """Chains of pointwise operations and row reductions, after what algebra rewrites, as one kernel each."""
    done = _apply_all(program, ALGEBRA)
    return "; ".join([_fuse(program), *done])


def _fuse(program: Program) -> str:
    return fuse_triton.fused_triton(program) if program.is_cuda else fuse_cpp.fused_cpp(program)


SINGLE: dict[str, Technique] = ALGEBRA | {
    "channels_last": layout.channels_last,
    "fused_pointwise": _fuse,
    **AFTER,
    "cuda_graph": _capture,
}
"""Each technique without the others that its candidate of `propose` brings along, in the order of `compose`."""


ALL: dict[str, Technique] = ALGEBRA | {
    **AFTER,
    "rewrites": rewrites,
    "channels_last": layout.channels_last,
    "compiled_rewrite": compiled_rewrite,
    "compiled_forward": compiled_forward,
    "cuda_graph": cuda_graph,
    "fused_pointwise": fused_pointwise,
}


def build(
    task: Task, device: str, techniques: Sequence[str], most: int = MOST, *, plain: bool = False
) -> tuple[list[Proposal], list[Declined]]:
    """See `propose`; `most` candidates. ConfigError for an unknown name."""
    require(techniques)
    proposals: list[Proposal] = []
    declined: list[Declined] = []
    traced = _traced(task, device, plain=plain)
    for name in techniques:
        try:
            proposal = _verbatim(name, task) if name in verbatim.TECHNIQUES else _apply(name, traced)
        except DeclineError as reason:
            declined.append(Declined(name, str(reason)))
            continue
        twin = next((p for p in proposals if _body(p) == _body(proposal)), None)
        if twin is not None:
            declined.append(Declined(name, f"gives the same code as {twin.technique}"))
        elif len(proposals) == most:
            declined.append(Declined(name, f"{most} more promising candidates already"))
        else:
            proposals.append(proposal)
    return proposals, declined


def every(task: Task, device: str) -> list[Proposal]:
    """See `transforms.every`. torch.compile over the traced forward, with loops unrolled and numbers in place of
    attributes, is `compiled_forward` too, whoever wrote it."""
    made: list[Proposal] = []
    for plain in (False, True):
        made += build(task, device, KNOWN, len(KNOWN), plain=plain)[0]
        try:
            made.append(_apply("compiled_forward", _traced(task, device, plain=plain)))
        except DeclineError:
            continue
    return made


def compose(task: Task, device: str, techniques: Sequence[str]) -> Composition:
    """See `transforms.compose`."""
    require(techniques, list(SINGLE))
    done: dict[str, str] = {}
    declined: list[Declined] = []
    try:
        program = trace(task, device)
        code = _written(program, "as traced", "no technique applied")
    except DeclineError as reason:
        return Composition(None, {}, tuple(Declined(name, str(reason)) for name in techniques))
    for name in (name for name in SINGLE if name in techniques):
        after = program.copy()
        try:
            detail = _rewritten(after, SINGLE[name])
            details = "; ".join(f"{each}: {said}" for each, said in [*done.items(), (name, detail)])
            code = _written(after, " + ".join([*done, name]), details)
        except DeclineError as reason:
            declined.append(Declined(name, str(reason)))
        else:
            program, done[name] = after, detail
    candidate = Candidate(
        task_id=task.id, code=code, language=program.language, origin="transform", author="+".join(done) or "as traced"
    )
    return Composition(candidate, done, tuple(declined))


def _traced(task: Task, device: str, *, plain: bool) -> Program | DeclineError:
    """The program, or why there is none."""
    try:
        program = trace(task, device)
    except DeclineError as reason:
        return reason
    program.plain = plain
    return program


def _verbatim(name: str, task: Task) -> Proposal:
    detail, code = verbatim.TECHNIQUES[name](task)
    candidate = Candidate(task_id=task.id, code=code, language="torch", origin="transform", author=name)
    return Proposal(name, candidate, detail)


def _apply(name: str, traced: Program | DeclineError) -> Proposal:
    if isinstance(traced, DeclineError):
        raise traced
    program = traced.copy()
    detail = _rewritten(program, ALL[name])
    code = _written(program, name, detail)
    task = traced.task
    candidate = Candidate(task_id=task.id, code=code, language=program.language, origin="transform", author=name)
    return Proposal(name, candidate, detail)


def _rewritten(program: Program, technique: Technique) -> str:
    """What the technique changed in the program. DeclineError where it does not fit, or would return another shape."""
    expected = _shapes(program)
    with _declining():
        detail = technique(program)
        program.graph.lint()
        program.propagate()
    if _shapes(program) != expected:
        raise DeclineError("the rewritten forward would return another shape or dtype")
    return detail


def _written(program: Program, name: str, detail: str) -> str:
    with _declining():
        code = emit(program, name, detail)
        compile(code, name, "exec")
    return code


@contextmanager
def _declining() -> Iterator[None]:
    """What a technique cannot handle is a reason to decline, not our failure."""
    try:
        yield
    except (RuntimeError, TypeError, ValueError, IndexError, KeyError, AttributeError, SyntaxError) as error:
        raise DeclineError(
            f"does not fit this graph: {type(error).__name__}: {str(error).strip().splitlines()[0][:200]}"
        ) from error


def _shapes(program: Program) -> str:
    def leaf(value: object) -> object:
        return (tuple(value.shape), value.dtype) if isinstance(value, torch.Tensor) else value

    from torch.utils._pytree import tree_map

    return repr(tree_map(leaf, program.value_of(program.output)))


def _body(proposal: Proposal) -> str:
    """A candidate's code without the line that names the technique."""
    lines = proposal.candidate.code.splitlines()
    return "\n".join(
        line for line in lines if not line.strip().startswith((f'"""{proposal.technique}', f"'{proposal.technique}"))
    )
