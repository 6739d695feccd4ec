"""Generation over a static cache: it must be what transformers' own generation is, and fit into a CUDA graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="needs the extra `local`")

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from cuda_l1 import decode

# Versions of torch and transformers warn about one another.
pytestmark = pytest.mark.filterwarnings("ignore")
PAD, END, OTHER_END = 0, 3, 5
PROMPTS = [[7, 8, 9, 10, 11], [12], [13, 14, 15], [9, 9, 4, 6]]


def make_model(*, vocabulary: int = 40, **settings: Any) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, pad_token_id=PAD, eos_token_id=[END, OTHER_END], bos_token_id=None,
        initializer_range=0.5, **settings,
    )  # fmt: skip
    return LlamaForCausalLM(config)


def batch_of(prompts: list[list[int]], device: str = "cpu") -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(map(len, prompts))
    ids = torch.tensor([[PAD] * (longest - len(each)) + each for each in prompts], device=device)
    return ids, (ids != PAD).long()


def decoded(model: Any, prompts: list[list[int]], *, stopped: Callable[[], bool] = lambda: False, **how: Any) -> Any:
    settings = {"max_tokens": 40, "temperature": 0.0, "ends": {END, OTHER_END}, "pad": PAD, **how}
    return decode.decode(model, *batch_of(prompts, model.device.type), stopped=stopped, **settings)


def by_transformers(model: Any, prompts: list[list[int]], max_tokens: int, ends: list[int] | None) -> torch.Tensor:
    ids, mask = batch_of(prompts, model.device.type)
    model.generation_config.eos_token_id = ends
    found = model.generate(input_ids=ids, attention_mask=mask, do_sample=False, max_new_tokens=max_tokens)
    return found[:, ids.shape[1] :].cpu()


def as_wide_as(found: torch.Tensor, width: int) -> torch.Tensor:
    """Rows that have all ended may go on as padding for a while, or not."""
    assert (found[:, width:] == PAD).all()
    return torch.nn.functional.pad(found, (0, max(0, width - found.shape[1])), value=PAD)[:, :width]


@pytest.mark.parametrize("max_tokens", [1, 2, 40, 70])
@pytest.mark.parametrize("prompts", [PROMPTS, [[7, 8, 9], [10, 11, 12]], [[13]]], ids=["padded", "even", "one"])
def test_greedy_is_what_transformers_generates(prompts: list[list[int]], max_tokens: int) -> None:
    model = make_model()
    free = by_transformers(model, prompts, max_tokens, None)
    assert torch.equal(decoded(model, prompts, max_tokens=max_tokens, ends=()), free)
    # Ends that do come up, at a different place in each row.
    ends = sorted({int(free[0, -1]), int(free[-1, max_tokens // 3])})
    expected = by_transformers(model, prompts, max_tokens, ends)
    found = decoded(model, prompts, max_tokens=max_tokens, ends=ends)
    assert torch.equal(as_wide_as(found, max_tokens), as_wide_as(expected, max_tokens))


def test_a_row_that_ended_stays_padding_and_the_others_go_on() -> None:
    model = make_model()
    free = decoded(model, PROMPTS, ends=())
    end = next(token for token in free[0].tolist() if token != PAD and not (free[1] == token).any())
    first = free[0].tolist().index(end)
    found = decoded(model, PROMPTS, ends={end})
    assert (found[0, first + 1 :] == PAD).all()
    assert torch.equal(found[1], free[1])
    cut = decode.answers(model, PROMPTS, max_tokens=40, temperature=0.0, ends={end}, pad=PAD)
    assert cut[0] == free[0, : first + 1].tolist()
    assert cut[1] == free[1].tolist()


def test_it_ends_when_told_and_when_all_rows_have_ended() -> None:
    model = make_model()
    asked: list[int] = []
    assert decoded(model, PROMPTS, max_tokens=200, ends=(), stopped=lambda: bool(asked.append(1) or True)).shape == (
        4,
        32,
    )
    assert len(asked) == 1
    everything = range(40)
    assert decoded(model, PROMPTS, max_tokens=200, ends=everything).shape == (4, 32)


@pytest.mark.parametrize("temperature", [0.7, 2.0])
def test_samples_follow_the_whole_distribution_at_its_temperature(temperature: float) -> None:
    model, rows = make_model(vocabulary=12).eval(), 4000
    ids, mask = batch_of([PROMPTS[3]])
    with torch.no_grad():
        first = (model(input_ids=ids, attention_mask=mask).logits[0, -1] / temperature).softmax(-1)
        follow = torch.cat([ids.expand(12, -1), torch.arange(12)[:, None]], 1)
        second = first @ (model(input_ids=follow).logits[:, -1] / temperature).softmax(-1)
    torch.manual_seed(1)
    found = decoded(model, [PROMPTS[3]] * rows, max_tokens=2, temperature=temperature, ends=())
    for place, chances in enumerate((first, second)):
        seen = torch.bincount(found[:, place], minlength=12)
        expected = rows * chances
        often = expected > 5
        statistic = ((seen - expected)[often] ** 2 / expected[often]).sum()
        assert statistic < 35, "of 11 degrees of freedom at most: 1 in 4000 by chance, and the seed is fixed"
        assert seen[~often].sum() < 5 * 12


def test_a_model_in_training_stays_so_and_its_dropout_is_off() -> None:
    model = make_model(attention_dropout=0.9)
    expected = decoded(model.eval(), PROMPTS)
    model.train()
    model.gradient_checkpointing_enable()
    assert torch.equal(decoded(model, PROMPTS), expected)
    assert model.training
    assert all(parameter.grad is None and parameter.requires_grad for parameter in model.parameters())


def test_weights_in_fp32_under_autocast_keep_one_cache() -> None:
    model = make_model()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = decoded(model, PROMPTS, ends=())
        expected = by_transformers(model, PROMPTS, 40, None)
    assert (found == expected).float().mean() > 0.5, "the same but for ties within bf16"


class Operators(TorchDispatchMode):
    """Names of what reaches the device."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.add(func.overloadpacket.__name__)
        return func(*args, **kwargs or {})


def test_a_step_neither_asks_the_device_for_a_value_nor_sends_it_one() -> None:
    batch = decode._Batch(make_model().eval(), *batch_of(PROMPTS), 8, 1.0, {END}, PAD)
    with torch.no_grad(), Operators() as seen:
        batch.step()
    assert {"mm", "exponential_", "index_copy_"} <= seen.names
    of_the_host = {"_local_scalar_dense", "lift_fresh", "nonzero", "is_nonzero", "equal", "scalar_tensor", "where"}
    assert not seen.names & of_the_host


def test_only_steady_models_on_a_gpu_are_taken() -> None:
    from transformers import MistralConfig, MistralForCausalLM

    tiny = {
        "vocab_size": 8, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1,
        "num_key_value_heads": 1, "sliding_window": 4,
    }  # fmt: skip
    scaled = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}
    assert decode.steady(make_model())
    assert not decode.possible(make_model()), "on a CPU nothing is gained"
    assert not decode.steady(make_model(attn_implementation="eager"))
    assert not decode.steady(make_model(rope_parameters=scaled)), "it looks at the positions"
    assert not decode.steady(MistralForCausalLM(MistralConfig(**tiny))), "its cache is a window"


def test_weights_sample_the_same_either_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    from toy_policy import make_policy

    from cuda_l1.models import Weights

    weights = Weights(make_policy(tmp_path / "policy"))
    asked = [[{"role": "user", "content": words}] for words in ("relu", "so it goes Perhaps torch relu import")]
    how: dict[str, Any] = {"temperature": 0.0, "max_tokens": 6, "timeout_s": None, "stop": threading.Event()}
    expected = weights.generate(asked, **how)
    monkeypatch.setattr(decode, "possible", decode.steady)  # on a CPU too
    monkeypatch.delattr(type(weights), "_generate")
    assert weights.generate(asked, **how) == expected
    how |= {"max_tokens": 100, "timeout_s": 0.0}
    ends = weights._model.generation_config
    ends.eos_token_id = None
    assert [each.completion_tokens for each in weights.generate(asked, **how)] == [32, 32], "time is looked at there"
    ends.repetition_penalty = 1.1
    with pytest.raises(AttributeError, match="_generate"):
        weights.generate(asked, **how)


@pytest.mark.parametrize("adapter", [False, True], ids=["whole", "adapter"])
@pytest.mark.parametrize(("prompts", "rows"), [(PROMPTS, 4), (PROMPTS * 16, 64)], ids=["4", "64"])
@pytest.mark.gpu
def test_on_cuda_the_graph_generates_what_transformers_does(prompts: list[list[int]], rows: int, adapter: bool) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    model = make_model().cuda()
    expected = by_transformers(model, prompts, 70, [END, OTHER_END])
    if adapter:
        peft = pytest.importorskip("peft", reason="needs the extra `train`")
        model = peft.get_peft_model(model, peft.LoraConfig(r=2, target_modules="all-linear", task_type="CAUSAL_LM"))
    assert decode.possible(model)
    for _ in range(2):  # the second starts on what the first has left
        found = decoded(model, prompts, max_tokens=70)
        assert torch.equal(as_wide_as(found, 70), as_wide_as(expected, 70))
    with torch.autocast("cuda", dtype=torch.bfloat16):
        cast = decoded(model, prompts, max_tokens=70, ends=())
        assert cast.shape == (rows, 70)
        assert torch.equal(decoded(model, prompts, max_tokens=70, ends=()), cast)
    free = decoded(model, [PROMPTS[0]] * rows, max_tokens=70, ends=(), temperature=5.0)
    assert len({tuple(row) for row in free.tolist()}) == rows, "replays draw anew"
