"""Stage 1: supervised fine-tuning on judged replies, with TRL's SFTTrainer; the loss is on the completion alone.

On rows of `text` it is pre-training that goes on (corpus.py): files one after another in rows of equal length, the loss
on all of them.
Not covered: making the data (data.py), and any filter on speed: the paper's first stage has none.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from trl import SFTConfig as TrlConfig
from trl import SFTTrainer

from cuda_l1.errors import ConfigError
from cuda_l1.machine import environment
from cuda_l1.train import card, checkpoint, setup
from cuda_l1.train.config import SftConfig, unchanged
from cuda_l1.train.metrics import FILE, GpuIdle, OnlyFinite, Progress
from cuda_l1.types import digest
from cuda_l1.wording import counted


def run(config: SftConfig, *, resume: bool, say: setup.Say) -> dict[str, Any]:
    """Train to the end; returns where the model lies and the results on its card."""
    out = Path(config.out)
    rows, source = read(Path(config.data))
    per_pass = setup.processes() * config.micro_batch
    if config.batch % per_pass:
        raise ConfigError(f"batch {config.batch} does not divide by {per_pass} rows a pass over all devices")
    replies = "completion" in rows[0]
    arguments = setup.arguments(
        TrlConfig, config, num_train_epochs=config.epochs, max_length=config.max_tokens,
        gradient_accumulation_steps=config.batch // per_pass, completion_only_loss=replies or None,
        packing=not replies, packing_strategy="wrapped",
    )  # fmt: skip
    found = checkpoint.latest(out)
    model, tokenizer = setup.load_model(config)  # what fails until here leaves no run behind, and may be corrected
    if setup.is_main():
        found, state = checkpoint.begin(out, resume, lambda: {"data": source})
        unchanged(out, config)
        if state.get("data", source) != source:  # older checkpoints do not say
            raise ConfigError(
                f"{config.data} is not what {out} was begun with: digest {source}, expected {state['data']}; put that "
                f"back to go on, or start in another folder"
            )

    def describe() -> dict[str, float]:
        where = environment.describe(str(arguments.device), torch.get_num_threads(), "none", None)
        data = {"file": Path(config.data).name, "rows": str(len(rows)), "digest": source}
        return card.write("sft", config, data, where)

    idle = GpuIdle(str(arguments.device))
    try:
        trainer = SFTTrainer(
            model, args=arguments, train_dataset=Dataset.from_list(rows), processing_class=tokenizer,
            peft_config=setup.adapter(config),
            callbacks=[
                OnlyFinite(say),
                checkpoint.Keeper(lambda: {"data": source}, describe),
                *checkpoint.deadline(config.stop_after_s),
            ],
        )  # fmt: skip
        setup.speak_through(trainer, Progress(out / FILE, say, idle, forgets=True))
        say(
            f"{counted(len(rows), 'row')}, {counted(config.epochs, 'epoch')}"
            + (f", going on from {found.name}" if found else "")
        )
        trainer.train(resume_from_checkpoint=str(found) if found else None)
        setup.save(trainer, tokenizer, config)
    finally:
        idle.close()
    return {"out": str(out / setup.MODEL), "results": describe()} if setup.is_main() else {}


def read(path: Path) -> tuple[list[dict[str, Any]], str]:
    """Rows of `prompt` and `completion`, or all of `text`, and the digest of the file. ConfigError names the line that
    is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"data {path} does not read: {why}; `cuda-l1 train data` writes it") from None
    rows: list[dict[str, Any]] = []
    for number, each in enumerate(text.split("\n"), start=1):
        if not each.strip():
            continue
        try:
            row = json.loads(each)
            if "text" in row and "prompt" not in row:
                rows.append({"text": "" + row["text"]})
            else:
                rows.append({name: [_message(message) for message in row[name]] for name in ("prompt", "completion")})
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(
                f"{path} line {number}: expected prompt and completion, each a list of messages with role and "
                f"content, or text in every line; found {type(error).__name__}: {error}"
            ) from None
    if len({"text" in row for row in rows}) > 1:
        raise ConfigError(f"{path} has lines of text and lines of prompt and completion: train on one after the other")
    if not rows:
        raise ConfigError(f"{path} has no rows: `cuda-l1 train data` writes them")
    return rows, digest(text)


def _message(message: dict[str, str]) -> dict[str, str]:
    return {"role": message["role"], "content": message["content"]}
