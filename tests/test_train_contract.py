"""What we lean on in TRL that TRL does not promise: its private names, their signatures, and what they return."""

from __future__ import annotations

import inspect

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
