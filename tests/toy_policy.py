"""A policy small enough to train in a test: a Llama of a few thousand weights whose words are whole replies.

Its vocabulary has three replies with code, some noise and the end of a reply, so that a random policy writes code that
the real parser takes and a judge can tell apart. ToyJudge stands in for judging.Judging: known speeds, real archive.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from records import make_evaluation, make_task, make_win

from cuda_l1.archive import Archive
from cuda_l1.judge import JudgeConfig
from cuda_l1.train.judging import Settled
from cuda_l1.types import Candidate, Evaluation, Status, Task

CODE = """import torch

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return {result}
"""
RIGHT, OTHER, WRONG = (CODE.format(result=r) for r in ("torch.relu(x)", "x.clamp_min(0)", "torch.relu(x) + 1"))
SPEEDS = {RIGHT: 1.0, OTHER: 2.0}
"""Against every baseline; what is not here is wrong."""
NOISE = ("Perhaps", "so", "it", "goes", "relu", "import", "torch")
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|> ' + message['content'] + ' <|end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|> ' }}{% endif %}"
)
ROLLOUTS = {
    "steps": 5, "groups": 2, "group_size": 4, "micro_batch": 4, "max_tokens": 4, "lora_rank": 4, "save_every": 2,
    "learning_rate": 0.01, "judge": {"devices": ["cuda:0"]},
}  # fmt: skip
"""Of a stage that samples. The toy judge uses no device, so that no lease on one is waited for."""


def block(code: str) -> str:
    return f"```python\n{code}\n```\n"


def make_policy(folder: Path, *, seed: int = 0) -> Path:
    """A transformers folder: config, random weights, a tokenizer of whole words."""
    import torch
    from tokenizers import AddedToken, Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    special = ["<unk>", "<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate((*special, *NOISE))}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.add_special_tokens(special)
    tokenizer.add_tokens([AddedToken(block(code), normalized=False) for code in (RIGHT, OTHER, WRONG)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<|pad|>", eos_token="<|end|>", chat_template=TEMPLATE
    )
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(fast), hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=4096, pad_token_id=fast.pad_token_id,
        eos_token_id=fast.eos_token_id, bos_token_id=None, initializer_range=0.2,
    )  # fmt: skip
    model: Any = LlamaForCausalLM(config)
    model.generation_config.bos_token_id = None
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def make_tasks(path: Path, count: int = 3) -> list[Task]:
    """Tasks that differ in their size, as JSON lines in a file too."""
    tasks = [
        make_task(f"local/relu-{n}", make_task().source.replace("randn(8)", f"randn({n + 8}, 64)"))
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(task.model_dump(mode="json")) + "\n" for task in tasks))
    return tasks


def toml(settings: dict[str, Any]) -> str:
    """A config as its file says it."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items() if not isinstance(value, dict)]
    tables = [(key, value) for key, value in settings.items() if isinstance(value, dict)]
    return "\n".join([*lines, *(f"[{key}]\n{toml(value)}" for key, value in tables)]) + "\n"


class ToyJudge:
    """What judging.Judging does, with speeds known beforehand."""

    device, device_name = "cpu", "toy"

    def __init__(self, place: str | Path, *, left_out: Sequence[str] = ()) -> None:
        self._archive, self._left_out = Archive(place), left_out
        self._asked: dict[str, Task] = {}
        self.judged: list[str] = []

    def digest(self, task: Task) -> str:
        return JudgeConfig().digest_for(task)

    def begin(self, task: Task, candidates: Sequence[Candidate]) -> None:
        for candidate in candidates:
            self._asked[candidate.id] = task
            if (
                self._archive.evaluation(candidate.id, self.digest(task)) is None
                and candidate.code not in self._left_out
            ):
                self.judged.append(candidate.id)
                self._archive.add_evaluation(verdict(candidate), config_digest=self.digest(task), run_id="toy")

    async def settle(self) -> tuple[dict[str, Evaluation], Settled]:
        asked, self._asked = self._asked, {}
        found = {name: self._archive.evaluation(name, self.digest(task)) for name, task in asked.items()}
        known = {name: evaluation for name, evaluation in found.items() if evaluation is not None}
        return known, Settled(len(known), 0.01)


def verdict(candidate: Candidate) -> Evaluation:
    speed = SPEEDS.get(candidate.code)
    return make_win(candidate, speed) if speed else make_evaluation(candidate, Status.WRONG_OUTPUT)
