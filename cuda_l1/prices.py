"""What tokens cost, and how many there are where nobody counted them.

A price is a pair of USD per million prompt and completion tokens, or None: unknown, which is never 0.
Not covered: discounts (cached prompt tokens, batches), so a cost is an upper bound; budgets (search adds up).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from cuda_l1.types import Usage, in_this_process

Price = tuple[float, float]

PRICES: dict[str, Price] = {
    "gpt-5.5": (5.00, 30.00),
    "gpt-5.4": (2.50, 15.00),
    "gpt-5.4-mini": (0.75, 4.50),
    "gpt-5.4-nano": (0.20, 1.25),
}
"""USD per million prompt and completion tokens at api.openai.com, standard tier, prompts up to 272k tokens, as
listed from OpenAI's pricing page in June 2026 (morphllm.com/openai-api-pricing). Any other model or server: unknown.
An upper bound: cached prompt tokens are billed at less."""
VENDOR = "https://api.openai.com/"
BYTES_A_TOKEN = 3
"""For estimates, so that they mostly err upwards: SmolLM2's tokenizer (49k words) makes tokens of 3.1 to 4.2 bytes of
whole prompts, and of 2.6 to 3.8 of Python (medians 3.0 to 3.6); larger vocabularies make longer ones."""
MESSAGE_TOKENS = 4
"""A chat template's own tokens around one message, about."""


class Estimate(NamedTuple):
    """What one question costs at most, about; `usd` is None where the price is unknown."""

    prompt_tokens: int
    completion_tokens: int
    usd: float | None


def price_of(model: str, url: str) -> Price | None:
    """By name, without the date of a dated snapshot; only at the vendor's own address."""
    return PRICES.get(re.sub(r"-\d{4}-\d{2}-\d{2}$", "", model)) if url.startswith(VENDOR) else None


def cost(price: Price | None, prompt_tokens: int, completion_tokens: int) -> float | None:
    """USD, or None where the price is unknown."""
    return None if price is None else (prompt_tokens * price[0] + completion_tokens * price[1]) / 1e6


def tokens_in(text: str) -> int:
    """About how many tokens the text has, rather too many than too few; 0 for no text."""
    return -(-len(text.encode()) // BYTES_A_TOKEN)


def tokens_in_prompt(messages: Iterable[Mapping[str, str]]) -> int:
    """About how many tokens a server counts for these messages."""
    return sum(tokens_in(message["content"]) + MESSAGE_TOKENS for message in messages)


def shares(total: int, n: int) -> list[int]:
    """The total in n nearly equal parts that add up to it: servers count the tokens of a whole call."""
    return [total // n + (1 if i < total % n else 0) for i in range(n)]


def estimate(
    messages: Sequence[Mapping[str, str]],
    n: int,
    model: str,
    base_url: str | None = None,
    max_tokens: int = 4096,
    price: Price | None = None,
) -> Estimate:
    """Upper bound for n samples, without asking anybody: every sample as long as it may be.

    The prompt counts once at the vendor's own address, which gives n samples in one call, and n times elsewhere.
    """
    url = base_url or os.environ.get("OPENAI_BASE_URL") or VENDOR
    calls = 1 if url.startswith(VENDOR) or in_this_process(model) else n
    prompt, completion = tokens_in_prompt(messages) * calls, max_tokens * n
    return Estimate(prompt, completion, cost(price or price_of(model, url), prompt, completion))


def usages(
    count: tuple[int, int, int] | None,
    prompt: int,
    written: Sequence[int],
    *,
    cut: bool,
    owed: tuple[int, int, int],
    price: Price | None,
) -> list[Usage]:
    """Each sample's share of one call's tokens: prompt, completion and cached ones as the server counted them.

    Without a count the estimates hold: `prompt` for the prompt, `written` for each sample. What is `owed` from before
    is added to them; `cut` says that the server's count may not be the last one.
    """
    completion = list(written)
    cached = 0
    if count is not None:
        prompt, cached = count[0], count[2]
        completion = shares(count[1], len(written))
    completion[0] += owed[1]
    parts = zip(shares(prompt + owed[0], len(written)), completion, shares(cached, len(written)), strict=True)
    return [
        Usage(
            prompt_tokens=p,
            completion_tokens=c,
            cached_tokens=k,
            estimated=count is None or cut,
            cost=cost(price, p, c),
        )
        for p, c, k in parts
    ]
