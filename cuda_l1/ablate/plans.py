"""What is to be judged: every planned subset of the parts as a candidate, or the reason why there is none.

Parts come from the switches of a candidate (those not chosen stay on) or from techniques that compose on a task (those
not chosen are not applied). NOT covered: parts that only a model can take away (questions).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from cuda_l1 import transforms
from cuda_l1.ablate import lattice, switches
from cuda_l1.ablate.lattice import Subset
from cuda_l1.ablate.switches import Part
from cuda_l1.errors import UsageError
from cuda_l1.types import Candidate, Task

By = Literal["switches", "transforms", "model"]


class Variant(NamedTuple):
    """One subset. Without a candidate, `why` says why; with one, it says what else is worth knowing."""

    subset: Subset
    candidate: Candidate | None
    why: str = ""


class Plan(NamedTuple):
    """What an ablation is going to judge."""

    by: By
    """Who takes parts away."""
    parts: tuple[Part, ...]
    variants: tuple[Variant, ...]
    """All parts on first, then none."""
    none: str
    """What is left with no part on, in words."""
    declined: tuple[tuple[str, str], ...] = ()
    """Techniques that are no part here, each with its reason."""


def of_switches(candidate: Candidate, chosen: Sequence[str], most: int) -> Plan | None:
    """From the parts that the candidate declares; None where it declares none. UsageError for an unknown part."""
    declared = switches.read(candidate.code)
    if not declared:
        return None
    known = [part.name for part in declared]
    if unknown := [name for name in chosen if name not in known]:
        raise UsageError(f"--parts {','.join(unknown)}: the candidate declares {', '.join(known)}")
    parts = tuple(part for part in declared if part.name in (chosen or known))
    names = [part.name for part in parts]
    variants = []
    for subset in lattice.plan(names, most):
        off = [name for name in names if name not in subset]
        if not off:
            variants.append(Variant(subset, candidate))
            continue
        author = f"{candidate.author or candidate.id} without {', '.join(off)}"
        update = {"code": switches.without(candidate.code, off), "author": author}
        variants.append(Variant(subset, candidate.model_copy(update=update)))
    return Plan("switches", parts, tuple(variants), "the candidate with every part off")


def of_transforms(task: Task, device: str, chosen: Sequence[str], most: int) -> Plan:
    """From the techniques that fit together. UsageError where none does; ConfigError for an unknown one."""
    whole = transforms.compose(task, device, chosen or None)
    declined = tuple((each.technique, each.reason) for each in whole.declined)
    if not whole.done:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in declined[:3])
        raise UsageError(
            f"no known technique fits {task.name}, so there is nothing to take away ({reasons}). Name a CANDIDATE "
            "that declares PARTS (docs/ablate.md), or let a model take techniques away with --model NAME"
        )
    parts = tuple(Part(name, detail) for name, detail in whole.done.items())
    variants = []
    for subset in lattice.plan(list(whole.done), most):
        made = transforms.compose(task, device, sorted(subset))
        idle = "; ".join(f"{each.technique} changes nothing here: {each.reason}" for each in made.declined)
        variants.append(Variant(subset, made.candidate, idle))
    return Plan("transforms", parts, tuple(variants), "the forward as traced, no technique applied", declined)
