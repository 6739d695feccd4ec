"""What fits into a model's context: an estimate of tokens, and the choice of what to leave out.

Pieces go in, most worth first, each in versions from the shortest to the fullest; out comes the version of each that
fits. What is left out is said in the prompt itself, so the text is rendered for every try and nothing is ever over.
NOT covered: the model's own tokenizer, and the tokens of its answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from cuda_l1.types import Message

BYTES_PER_TOKEN = 2.5
"""SmolLM2's tokenizer, with 49152 words a small one, makes 3.1 to 4.2 of whole prompts (docs/prompts.md); larger
vocabularies make more, so what is said to fit, fits."""
MESSAGE_TOKENS = 8
"""Role and separators of one message in a chat template."""


def tokens(text: str) -> int:
    """Tokens of a text, estimated from above by its UTF-8 bytes."""
    return math.ceil(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN)


def tokens_of(messages: Sequence[Message]) -> int:
    """Tokens of a conversation, estimated from above."""
    return sum(tokens(message["content"]) + MESSAGE_TOKENS for message in messages)


def fitting(steps: Sequence[int], most: int, fits: Callable[[list[int]], bool]) -> list[int]:
    """The level of each of `most` pieces, 0 for left out, after raising piece `steps[i]` by one for each step that
    still fits, in order. A piece that did not fit at one level is not raised further."""
    levels, stuck = [0] * most, set[int]()
    for piece in steps:
        if piece in stuck:
            continue
        levels[piece] += 1
        if not fits(levels):
            levels[piece] -= 1
            stuck.add(piece)
    return levels
