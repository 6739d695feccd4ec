"""What we lean on in TRL that TRL does not promise: its private names, their signatures, and what they return."""

from __future__ import annotations

import inspect
import re

import pytest

trl = pytest.importorskip("trl", reason="needs the extra `train`")


def parameters(method: object) -> list[str]:
    return list(inspect.signature(method).parameters)  # type: ignore[arg-type]


def test_the_version_is_the_one_that_we_read() -> None:
    assert trl.__version__.startswith("1.16."), "read the private methods of the new version before raising the pin"


def test_rollouts_enter_through_one_method() -> None:
    method = trl.GRPOTrainer._generate_and_score_completions
    assert parameters(method) == ["self", "inputs"]
    prepare = inspect.getsource(trl.GRPOTrainer._prepare_inputs)
    assert "self._generate_and_score_completions(generation_batch)" in prepare
    source = inspect.getsource(method)
    assert '"advantages": advantages,' in source, "the batch's advantages are ours to replace"
    assert 'prompts = [x["prompt"] for x in inputs]' in source, "the prompt is read when it is asked"
    assert "rewards.view(-1, num_generations)" in source, "groups are by position"


def test_generation_is_one_method_that_gives_token_ids_and_logprobs() -> None:
    method = trl.GRPOTrainer._generate_single_turn
    assert parameters(method) == [
        "self", "prompt_ids", "images", "multimodal_fields", "num_generations", "has_tool_images",
    ]  # fmt: skip
    assert "return completion_ids, logprobs" in inspect.getsource(method)
    assert "self._generate_single_turn(" in inspect.getsource(trl.GRPOTrainer._generate)


# TRL and transformers of these versions disagree about the name of a setting.
@pytest.mark.filterwarnings("ignore")
def test_what_trl_generates_with_is_what_we_look_at_before_we_do_it_ourselves() -> None:
    source = inspect.getsource(trl.GRPOTrainer)
    asked = source.partition("            generation_kwargs = {\n")[2].partition("            }\n")[0]
    assert re.findall(r'"(\w+)":', asked) == [
        "max_new_tokens", "do_sample", "pad_token_id", "bos_token_id", "eos_token_id", "temperature", "top_p", "top_k",
        "min_p", "repetition_penalty", "cache_implementation",
    ]  # fmt: skip
    from cuda_l1.train.trainer import WHOLE

    arguments = trl.GRPOConfig(use_cpu=True, bf16=False, output_dir="unused")
    assert {name: getattr(arguments, name) for name in WHOLE} == WHOLE, "its defaults are the whole distribution"
    unwrap = trl.models.unwrap_model_for_generation
    assert {"model", "accelerator", "gradient_checkpointing_kwargs"} <= set(parameters(unwrap))
    single = inspect.getsource(trl.GRPOTrainer._generate_single_turn)
    for used in ("self.model_wrapped", "self.eos_token_ids", "self._tokenizer.pad_token_id"):
        assert used in single
    assert "return completion_ids, logprobs" in single
    assert "logprobs = None" in single


def test_rewards_may_be_asynchronous_and_none() -> None:
    source = inspect.getsource(trl.GRPOTrainer._calculate_rewards)
    assert "is_async_callable(reward_func)" in source
    assert 'reward_kwargs["log_metric"]' in source
    assert "torch.nan" in source


def test_advantages_of_one_number_an_answer_weigh_its_mean_over_tokens() -> None:
    source = inspect.getsource(trl.GRPOTrainer._compute_loss)
    assert 'advantages = inputs["advantages"]' in source
    assert "advantages = advantages.unsqueeze(1)" in source
    assert "(per_token_loss * mask).sum(-1) / mask.sum(-1).clamp(min=1.0)).mean()" in source
