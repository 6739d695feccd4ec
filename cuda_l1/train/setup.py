"""From a stage's settings to what TRL's trainers take: model, tokenizer, adapter and arguments.

Not covered: the trainers themselves (sft, reinforce) and what they are trained on.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from cuda_l1 import models
from cuda_l1.errors import ConfigError, UsageError, nearest
from cuda_l1.train.config import StageConfig

if TYPE_CHECKING:
    from transformers import TrainerCallback

Say = Callable[[str], None]
A = TypeVar("A")
MODEL = "model"
"""Folder of the trained model in `out`."""


def processes() -> int:
    """How many processes train together, as the launcher says."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_main() -> bool:
    """Whether this is the process that writes and speaks."""
    return os.environ.get("RANK", "0") == "0"


def require() -> None:
    """UsageError without TRL and PEFT. Nothing of a training leaves the machine unless a tracker is asked for."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import peft  # noqa: F401
        import trl
    except ImportError as error:
        raise UsageError(f"training needs {error.name}: pip install 'cuda-l1[train]'") from None
    if tuple(trl.__version__.split(".")[:2]) != ("1", "16"):
        raise UsageError(f"training is built on trl 1.16, found {trl.__version__}: pip install 'cuda-l1[train]'")
    # TRL and transformers of these versions disagree about the name of a setting.
    warnings.filterwarnings("ignore", ".*gradient_checkpointing.* is deprecated", FutureWarning)
    # TRL would print the whole prompt of every answer that nobody could judge.
    logging.getLogger("trl").setLevel(logging.ERROR)


def arguments(kind: type[A], config: StageConfig, **ours: Any) -> A:
    """TRL's config of that kind. ConfigError for a tracker that is not installed, and for a key
    of [trl] that TRL does not know or that is ours to set."""
    import transformers

    for name in config.report_to:
        if not getattr(transformers.integrations, f"is_{name}_available")():
            raise ConfigError(f"report_to names {name}, which is not installed: pip install {name}, or leave it out")
    on_gpu = torch.cuda.is_available()
    values = {
        "output_dir": config.out,
        "seed": config.seed,
        "learning_rate": config.learning_rate,
        "lr_scheduler_type": "constant",
        "per_device_train_batch_size": config.micro_batch,
        "save_strategy": "steps",
        "save_steps": config.save_every,
        "save_total_limit": config.keep,
        "logging_steps": 1,
        "report_to": list(config.report_to) or "none",
        "disable_tqdm": True,
        "gradient_checkpointing": False,
        "use_cpu": not on_gpu,
        "bf16": on_gpu,
        "dataloader_pin_memory": on_gpu,
        **ours,
    }
    known = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    free = ("lr_scheduler_type", "gradient_checkpointing", "bf16", "dataloader_pin_memory")
    for key in config.trl:
        if key not in known:
            raise ConfigError(f"[trl] {key}: TRL knows no such setting{nearest(key, known)}")
        if key in values and key not in free:
            raise ConfigError(f"[trl] {key} is set by the stage itself: use its own setting instead")
    try:
        return kind(**(values | config.trl))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"TRL refuses these settings: {error}") from None


def load_model(config: StageConfig) -> tuple[Any, Any]:
    """Model and tokenizer. An adapter trains on bf16 weights on a GPU; all weights train in fp32 under autocast."""
    import transformers

    words: Any = transformers.utils.logging
    words.disable_progress_bar()
    folder = models.find(config.model)
    # said once, so that MKL takes as many threads for every product, whatever this process did before: bits hang on it
    torch.set_num_threads(torch.get_num_threads())
    # Its backward pass gives NaN on Hopper where a batch is 128 n + 64 tokens long and has a mask, and is the default
    # there from torch 2.11 on: https://github.com/pytorch/pytorch/issues/196678
    torch.backends.cuda.enable_cudnn_sdp(False)
    dtype = torch.bfloat16 if torch.cuda.is_available() and config.lora_rank else torch.float32
    auto: Any = transformers.AutoModelForCausalLM
    try:
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = auto.from_pretrained(folder, dtype=dtype, local_files_only=True)
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder} does not load as a transformers model: {error}") from None
    if not tokenizer.chat_template:
        raise UsageError(f"{folder} has no chat template: it is a base model, take an instruct or chat model")
    return model, tokenizer


def adapter(config: StageConfig) -> Any:
    """PEFT's config of the adapter; None where all weights are trained."""
    if not config.lora_rank:
        return None
    from peft import LoraConfig

    return LoraConfig(
        r=config.lora_rank, lora_alpha=2 * config.lora_rank, target_modules="all-linear", task_type="CAUSAL_LM"
    )


def speak_through(trainer: Any, progress: TrainerCallback) -> None:
    """`progress` is the first to see each log, before any tracker, and the only one to print it."""
    from transformers import PrinterCallback

    trainer.remove_callback(PrinterCallback)
    trainer.callback_handler.callbacks.insert(0, progress)


def save(trainer: Any, tokenizer: Any, config: StageConfig) -> None:
    """The trained model, whole, as the next stage or a server takes it; an adapter also by itself. The folder appears
    by a rename: it is there with all that belongs into it, or not at all."""
    target = Path(config.out) / MODEL
    fresh = target.with_name(f".{MODEL}-unfinished")
    if is_main():
        shutil.rmtree(fresh, ignore_errors=True)
    if not config.lora_rank:
        trainer.save_model(str(fresh))
    elif is_main():
        model = trainer.accelerator.unwrap_model(trainer.model)
        model.save_pretrained(Path(config.out) / "adapter")
        model.merge_and_unload().save_pretrained(fresh)
    if is_main():
        tokenizer.save_pretrained(fresh)
        shutil.rmtree(target, ignore_errors=True)
        fresh.replace(target)
