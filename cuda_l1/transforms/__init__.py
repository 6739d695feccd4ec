"""Known techniques applied mechanically to a task's own source: a generator of candidates that needs no model.

A Task goes in; out come Proposals, each with a Candidate whose source is the task's own with another forward, and for
each technique that does not fit the reason. Nothing is judged here. Not covered: techniques that need to know values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cuda_l1.errors import ConfigError, nearest
from cuda_l1.types import Candidate, Task

TECHNIQUES: tuple[str, ...] = (
    "rewrites",
    "cuda_graph",
    "fused_pointwise",
    "compiled_rewrite",
    "diag_matmul_to_broadcast",
    "matmul_sum_to_matvec",
    "linear_mean_commute",
    "matmul_reassociation",
    "pooling_composition",
    "library_recurrence",
    "library_functions",
    "hoisted_projection",
    "sdpa",
    "affine_folding",
    "conv_bn_folding",
    "prepared_weights",
    "addmm_folding",
    "common_subexpressions",
    "channels_last",
    "inplace_epilogues",
    "dead_operations",
)
ON_REQUEST: tuple[str, ...] = ("compiled_forward",)
"""Applied where they are named, never by default: torch.compile alone is a baseline and can win nothing against it."""
KNOWN = (*TECHNIQUES, *ON_REQUEST)
MOST = 10


class Proposal(NamedTuple):
    """A candidate, the technique that made it, and what was changed."""

    technique: str
    candidate: Candidate
    detail: str


class Declined(NamedTuple):
    """A technique that does not fit the task, and why."""

    technique: str
    reason: str


class Composition(NamedTuple):
    """Several techniques applied one after the other, each to what the ones before left."""

    candidate: Candidate | None
    """None where forward cannot be traced."""
    done: dict[str, str]
    """The techniques that fitted, in the order of application, and what each changed."""
    declined: tuple[Declined, ...]


def named(names: str) -> tuple[str, ...]:
    """The techniques that a user means: names with commas, `all` among them for all but those on request; or `none`.
    ConfigError for an unknown one."""
    if names == "none":
        return ()
    asked = [name.strip() for name in names.split(",")]
    chosen = tuple(dict.fromkeys(each for name in asked for each in (TECHNIQUES if name == "all" else (name,))))
    require(chosen)
    return chosen


def require(names: Sequence[str], known: Sequence[str] = KNOWN) -> None:
    """ConfigError for a name that is not known, with the nearest that is."""
    for name in names:
        if name not in known:
            raise ConfigError(f"unknown technique {name!r}{nearest(name, known) or '.'} Known: {', '.join(known)}")


def propose(
    task: Task, device: str, techniques: Sequence[str] | None = None, *, plain: bool = False
) -> tuple[list[Proposal], list[Declined]]:
    """At most ten candidates for `device` (cpu, cuda, cuda:N), most promising first, and why the rest declined.

    `plain`: for the task's own shapes and mode alone, and shorter, as nothing hands others to the forward as it was
    written.
    """
    from cuda_l1.transforms.catalogue import build

    return build(task, device, TECHNIQUES if techniques is None else techniques, plain=plain)


def every(task: Task, device: str) -> list[Proposal]:
    """All that the techniques make of the task, plain or not, also those that `propose` leaves out for being many."""
    from cuda_l1.transforms import catalogue

    return catalogue.every(task, device)


def compose(task: Task, device: str, techniques: Sequence[str] | None = None) -> Composition:
    """One candidate with all of `techniques` that fit, each without the others that `propose` may bring along.

    No technique is the traced forward as it was written: what others are compared with. Equal work is equal code.
    ConfigError for an unknown name, or one that is itself several techniques (`rewrites`, `compiled_rewrite`).
    """
    from cuda_l1.transforms import catalogue

    return catalogue.compose(task, device, list(catalogue.SINGLE) if techniques is None else techniques)
