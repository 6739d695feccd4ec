"""Generation that does not wait for Python: a batch over a static cache, one CUDA graph replayed for each token.

`generate` of transformers launches every kernel of every layer from Python; a small model's kernels are done sooner
than they are launched. Here a step is fixed tensors changed in place, so that a GPU takes it as one launch. Goes in: a
batch padded on the left. Comes out: what each row wrote, its end included. On a CPU the same steps run one by one.
Not covered: models whose steps differ or that lie on several devices (`possible` says which are taken), truncated
distributions, penalties, beams, images, prompt-learning adapters. The cache is allocated for the longest answer at
once, and all rows go on until the last one has ended.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch
from transformers.cache_utils import StaticCache, StaticLayer

CHECK_EVERY = 32
"""Tokens between two looks at whether to go on: each look waits for the device."""
WARM_UP = 2
"""Steps before the capture, for what libraries set up at their first call."""
ALIGNED = 16
"""SDPA copies a mask whose length is no multiple of this, in every layer."""


def possible(model: Any) -> bool:
    """Whether `decode` takes the model and is worth it: all on one GPU, and `steady`."""
    devices = {parameter.device for parameter in model.parameters()}
    return len(devices) == 1 and devices.pop().type == "cuda" and steady(model)


def steady(model: Any) -> bool:
    """Whether each step launches the same kernels: dense attention through SDPA, and no look at values on the way."""
    config = model.config
    if not getattr(model, "_can_compile_fullgraph", False) or getattr(config, "is_encoder_decoder", False):
        return False
    if config._attn_implementation != "sdpa" or getattr(model, "hf_quantizer", None) is not None:
        return False
    rope = str(getattr(config, "rope_parameters", None))
    if "dynamic" in rope or "longrope" in rope:  # their frequencies follow the longest position
        return False
    return all(type(layer) is StaticLayer for layer in StaticCache(config=config, max_cache_len=1).layers)


def answers(
    model: Any,
    prompts: Sequence[Sequence[int]],
    *,
    max_tokens: int,
    temperature: float,
    ends: Collection[int],
    pad: int,
) -> list[list[int]]:
    """The new tokens of each prompt, up to its first end and with it."""
    longest = max(map(len, prompts))
    ids = [[pad] * (longest - len(prompt)) + [*prompt] for prompt in prompts]
    mask = [[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    written = decode(
        model, torch.tensor(ids, device=model.device), torch.tensor(mask, device=model.device), max_tokens=max_tokens,
        temperature=temperature, ends=ends, pad=pad, stopped=lambda: False,
    )  # fmt: skip
    rows: list[list[int]] = written.tolist()
    return [row[: next((i + 1 for i, token in enumerate(row) if token in ends), len(row))] for row in rows]


def decode(
    model: Any,
    input_ids: torch.Tensor,
    attention_mask: torch.Tensor,
    *,
    max_tokens: int,
    temperature: float,
    ends: Collection[int],
    pad: int,
    stopped: Callable[[], bool],
) -> torch.Tensor:
    """New tokens [rows, at most max_tokens] on the host, `pad` after an end; greedy at temperature 0, else from the
    whole distribution. `stopped` is asked now and then, not at each token."""
    training = model.training
    model.eval()  # no dropout; and layers that checkpoint gradients would drop the cache
    try:
        with torch.no_grad():
            batch = _Batch(model, input_ids, attention_mask, max_tokens, temperature, ends, pad)
            step, made = batch.step, 1
            if input_ids.is_cuda and max_tokens > CHECK_EVERY:  # shorter answers do not pay for a capture
                step, made = _captured(step, input_ids.device), made + WARM_UP
            while made < max_tokens:
                if made % CHECK_EVERY == 0 and (stopped() or bool(batch.finished.all())):
                    break
                step()
                made += 1
            return batch.written[:, :made].cpu()  # waits, so that nothing runs when graph and cache are freed
    finally:
        model.train(training)


class _Cache(StaticCache):
    """Takes the keys that rotation makes fp32 under autocast beside bf16 values: attention would cast them anyway."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, layer_idx: int, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return super().update(key_states.to(value_states.dtype), value_states, layer_idx, *args, **kwargs)


class _Batch:
    """The state of a batch: tensors whose places stay, so that a captured step goes on from where the last one left."""

    def __init__(
        self, model: Any, input_ids: torch.Tensor, attention_mask: torch.Tensor, max_tokens: int, temperature: float,
        ends: Collection[int], pad: int,
    ) -> None:  # fmt: skip
        """Reads the prompts and writes the first token."""
        (rows, length), device = input_ids.shape, input_ids.device
        room = -(-(length + max_tokens) // ALIGNED) * ALIGNED
        mask = attention_mask.long()
        self._model, self._temperature, self._pad = model, temperature, pad
        self._cache = _Cache(config=model.config, max_cache_len=room)
        self._place = torch.full((1,), length, device=device)  # in the cache, of the token that goes in next
        self._position = mask.sum(1, keepdim=True)  # of that token in its row, padding not counted
        self._token = torch.full((rows, 1), pad, device=device)
        self._count = torch.zeros(1, dtype=torch.long, device=device)
        self._ends = torch.tensor(sorted(ends), dtype=torch.long, device=device)
        self.written = torch.full((rows, max_tokens), pad, device=device)
        self.finished = torch.zeros(rows, 1, dtype=torch.bool, device=device)
        self._take(self._logits(input_ids, mask, (mask.cumsum(1) - 1).clamp_min(0)))
        # Made here, as transformers would make it from scratch at each step. What is added instead of a boolean, as
        # SDPA would turn that into this in every layer, from a value on the host, which no capture allows.
        layer: Any = self._cache.layers[0]
        self._hidden = torch.full((rows, 1, 1, room), -torch.inf, dtype=layer.keys.dtype, device=device)
        self._hidden[:, 0, 0, :length].masked_fill_(mask.bool(), 0.0)

    def step(self) -> None:
        """One token more of each row. Nothing here asks the device for a value or sends it one."""
        self._hidden.index_fill_(3, self._place, 0.0)
        logits = self._logits(self._token, self._hidden, self._position)
        self._place.add_(1)
        self._position.add_(1)
        self._take(logits)

    def _logits(self, ids: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        out = self._model(
            input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=self._cache, use_cache=True,
            logits_to_keep=1,
        )  # fmt: skip
        last: torch.Tensor = out.logits[:, -1].float()
        return last

    def _take(self, logits: torch.Tensor) -> None:
        if self._temperature > 0:
            chances = (logits / self._temperature).softmax(-1)
            # The draw of torch.multinomial, without the checks for which it waits for the device.
            chosen = (chances / chances.new_empty(chances.shape).exponential_()).argmax(-1, keepdim=True)
        else:
            chosen = logits.argmax(-1, keepdim=True)
        self._token.copy_(chosen.masked_fill(self.finished, self._pad))
        self.written.index_copy_(1, self._count, self._token)
        self._count.add_(1)
        self.finished.logical_or_((self._token == self._ends).any(1, keepdim=True))


def _captured(step: Callable[[], None], device: torch.device) -> Callable[[], None]:
    """The step as one launch; WARM_UP steps are done on the way. A capture records and does not run."""
    with torch.cuda.device(device):
        side, main = _side_stream(device), torch.cuda.current_stream()
        side.wait_stream(main)
        with torch.cuda.stream(side):
            for _ in range(WARM_UP):
                step()
        main.wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        # Under autocast, weights cast before would be used by a graph that does not own them, and weights cast inside
        # by others after the graph is gone.
        torch.clear_autocast_cache()
        # thread_local: other threads of a training (NCCL's watchdog) may call CUDA meanwhile.
        with torch.cuda.graph(graph, stream=side, capture_error_mode="thread_local"):
            step()
        torch.clear_autocast_cache()
    return graph.replay


@functools.cache
def _side_stream(device: torch.device) -> torch.cuda.Stream:
    """One for all calls: cuBLAS keeps a workspace for each stream that it has ever seen."""
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
