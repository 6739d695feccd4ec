"""What the questions of a run cost: every token of every call, by what it was asked for.

Attempts and opinions go in, sums come out: `asked` (first answers), `repairs` and `checker`, and all together. A price
that is unknown makes the sum unknown, never smaller. Not covered: calls whose reply never came, which only the server
knows; budgets (search).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cuda_l1.types import Attempt, Opinion, Usage

Json = dict[str, Any]


def summary(attempts: Sequence[Attempt], opinions: Sequence[Opinion]) -> Json:
    """`attempts`, `tokens` and `cost_usd` of a run, of how many replies they are `estimated`, and the same by purpose
    under `spent`."""
    first = [each for each in attempts if each.parent_id is None]
    repairs = [each for each in attempts if each.parent_id is not None]
    usages = {
        "asked": [each.usage for each in first],
        "repairs": [each.usage for each in repairs],
        "checker": [each.usage for each in opinions],
    }
    total = _sum([usage for each in usages.values() for usage in each])
    return {
        "attempts": {"asked": len(attempts), "parsed": sum(each.candidate_id is not None for each in attempts)},
        "tokens": {"prompt": total["prompt_tokens"], "completion": total["completion_tokens"]},
        "cost_usd": total["cost_usd"],
        "estimated": total["estimated"],
        "spent": {name: _sum(each) for name, each in usages.items()},
    }


def sentence(total: Mapping[str, Any]) -> str:
    """The account of a summary in words."""
    attempts, tokens, spent = total["attempts"], total["tokens"], total["spent"]
    cost = "unknown" if total["cost_usd"] is None else f"{total['cost_usd']:.2f} USD"
    others = [
        f"{name} {part['replies']} with {part['prompt_tokens']} + {part['completion_tokens']}"
        for name, part in spent.items()
        if name != "asked" and part["replies"]
    ]
    among = f" (among them {', '.join(others)})" if others else ""
    return (
        f"{attempts['asked']} questions to a model, {attempts['parsed']} with code; "
        f"{tokens['prompt']} + {tokens['completion']} tokens{among}, cost {cost}{doubt(total['estimated'])}."
    )


def doubt(estimated: int) -> str:
    """What stands beside tokens and their cost where nobody counted those of so many replies."""
    if not estimated:
        return ""
    whose = "1 reply" if estimated == 1 else f"{estimated} replies"
    return f" (estimated from the text for {whose}, which the server sent without a full count)"


def _sum(usages: Sequence[Usage]) -> Json:
    costs = [usage.cost for usage in usages]
    return {
        "replies": len(usages),
        "prompt_tokens": sum(usage.prompt_tokens for usage in usages),
        "completion_tokens": sum(usage.completion_tokens for usage in usages),
        "estimated": sum(usage.estimated for usage in usages),
        "cost_usd": None if None in costs else sum((cost for cost in costs if cost is not None), 0.0),
    }
