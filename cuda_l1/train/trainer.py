"""TRL's GRPO trainer with live questions, judged answers and our advantages.

Three hooks into TRL 1.16, of which two are private (tests/test_train_contract.py holds their signatures):

_generate_and_score_completions   once for each batch of rollouts: rank 0 draws one question a group and tells the
                                  others (a group may span processes), TRL generates, asks for rewards and does the
                                  rest; then our advantages take the place of TRL's.
_generate_single_turn             generation itself, in parts: what one part wrote goes to the judge, where it builds
                                  while the next part is written. On a GPU it is ours (decode), unless TRL is told to
                                  do it in a way of its own or the weights are sharded.
the reward function               public and asynchronous: waits for the judge.

The device is leased (machine/lease.py) while the policy uses it beside a running judge, so that timing has it alone.
Not covered: the loss, the reference model, vLLM, checkpoints: all TRL's.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import torch
from accelerate.utils import DistributedType, broadcast_object_list, gather_object
from trl import GRPOTrainer
from trl.models import unwrap_model_for_generation

from cuda_l1 import decode
from cuda_l1.machine import lease
from cuda_l1.train.rollouts import Answer, Rollouts

WHOLE = {
    "use_vllm": False, "use_transformers_continuous_batching": False, "top_p": 1.0, "top_k": 0, "min_p": None,
    "repetition_penalty": 1.0, "generation_kwargs": None, "cache_implementation": None,
}  # fmt: skip
"""TRL's settings under which its generation samples from the whole distribution, on the weights that are here."""
UNSHARDED = (DistributedType.NO, DistributedType.MULTI_GPU, DistributedType.MULTI_CPU)


class RolloutTrainer(GRPOTrainer):  # type: ignore[misc]
    """Stages 2 and 3: which of them is decided by what `rollouts` draws and compares."""

    def __init__(self, rollouts: Rollouts, *, together: int | None, leased: bool, **trl: Any) -> None:
        """`together`: rows of one call of generate, None for all. `leased`: a judge works on the same device."""
        self.rollouts = rollouts
        self._together, self._leased = together, leased
        self._lease = ExitStack()
        super().__init__(reward_funcs=[self.judged], **trl)

    async def judged(self, *, log_metric: Any, **_: Any) -> list[float | None]:
        """TRL's reward function: from here on the device is the judge's, until the batch is settled."""
        self._lease.close()
        rewards, figures = await self.rollouts.verdicts()
        for name, value in figures.items():
            log_metric(name, value)
        return rewards

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        size = self.num_generations if self.model.training else self.num_generations_eval
        task_ids = gather_object([row["task_id"] for row in inputs])
        drawn: list[Any] = [None]
        if self.accelerator.is_main_process:
            drawn = [self.rollouts.draw(self.state.global_step, task_ids[::size])]
        [questions] = broadcast_object_list(drawn)
        first = self.accelerator.process_index * len(inputs)
        asked = [(questions[(first + i) // size], row["task_id"]) for i, row in enumerate(inputs)]
        self.rollouts.ask(asked)
        rows = [{**row, "prompt": question.messages} for row, (question, _) in zip(inputs, asked, strict=True)]
        batch: dict[str, Any] = super()._generate_and_score_completions(rows)
        answers: list[Answer] = gather_object(self.rollouts.judged)
        compared = self.rollouts.compare(answers, size)[first : first + len(inputs)]
        batch["advantages"] = torch.tensor(compared, dtype=torch.float32, device=self.accelerator.device)
        self.rollouts.learn(answers)
        return batch

    def _generate_single_turn(
        self,
        prompt_ids: list[list[int]],
        images: Any,
        multimodal_fields: Any,
        num_generations: int,
        has_tool_images: bool = False,
    ) -> tuple[list[list[int]], list[list[float]] | None]:
        size = self._together or len(prompt_ids)
        written: list[list[int]] = []
        logprobs: list[list[float]] = []
        for start in range(0, len(prompt_ids), size):
            self._hold_device()
            part, likely = self._decoded(prompt_ids[start : start + size], multimodal_fields), None
            if part is None:
                part, likely = super()._generate_single_turn(
                    prompt_ids[start : start + size], images, multimodal_fields, num_generations, has_tool_images
                )
            texts = self.processing_class.batch_decode(part, skip_special_tokens=True)
            finished = [row[-1] in self.eos_token_ids for row in part]
            self.rollouts.answered(texts, [len(row) for row in part], finished)
            written += part
            logprobs += likely or []
        return written, logprobs or None

    def _decoded(self, prompt_ids: list[list[int]], multimodal_fields: Any) -> list[list[int]] | None:
        """What TRL's plain branch would give, in distribution, only faster; None where that is TRL's own to do."""
        whole = all(getattr(self.args, name) == value for name, value in WHOLE.items())
        if multimodal_fields or not whole or self.accelerator.distributed_type not in UNSHARDED:
            return None
        with unwrap_model_for_generation(
            self.model_wrapped,
            self.accelerator,
            gradient_checkpointing_kwargs=self.args.gradient_checkpointing_kwargs,
        ) as model:
            if not decode.possible(model):
                return None
            return decode.answers(
                model, prompt_ids, max_tokens=self.max_completion_length, temperature=self.temperature,
                ends=self.eos_token_ids, pad=self._tokenizer.pad_token_id,
            )  # fmt: skip

    def _hold_device(self) -> None:
        """Let a race of the judge finish, then keep the device to ourselves until the batch waits for the judge."""
        self._lease.close()
        if self._leased:
            self._lease.enter_context(lease.alone(str(self.accelerator.device)))
