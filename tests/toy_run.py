"""One training run of the toy policy: in this process, in one that kills itself, or as one of several.

The stage is sft, selfsup or contrastive; the judge of the last two is the toy. Who kills itself (SIGKILL) does so after
a step, before anything of it is saved. Of several every process writes rank-N.json: what it asked, what came of it and
its advantages.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import torch
from toy_policy import ToyJudge
from transformers import TrainerCallback
from transformers.trainer import DEFAULT_CALLBACKS

from cuda_l1.archive import Archive
from cuda_l1.judge import JudgeConfig
from cuda_l1.train import config as configs
from cuda_l1.train import reinforce, setup, sft
from cuda_l1.train.metrics import GpuIdle
from cuda_l1.train.trainer import RolloutTrainer

KINDS = {"sft": configs.SftConfig, "selfsup": configs.SelfsupConfig, "contrastive": configs.ContrastiveConfig}


class Kill(TrainerCallback):
    """kill -9 after a step, before its checkpoint and its line in metrics.jsonl."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step == self.step:
            os.kill(os.getpid(), signal.SIGKILL)


def run(stage: str, path: Path, *, resume: bool = False) -> list[RolloutTrainer]:
    """Train to the end on the toy judge; the trainer, for a look inside. On one thread, which sums in one order, also
    in a fork of this process."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _run(stage, path, resume)
    finally:
        torch.set_num_threads(threads)


def _run(stage: str, path: Path, resume: bool) -> list[RolloutTrainer]:
    setup.require()
    config = configs.load(KINDS[stage], path)
    if isinstance(config, configs.SftConfig):
        sft.run(config, resume=resume, say=print)
        return []
    place = Path(config.out) / "archive.sqlite"
    arguments = reinforce.grpo_arguments(config)
    tasks = reinforce.chosen(config, JudgeConfig())
    with Archive(place) as archive:
        made = reinforce.make_rollouts(config, tasks, archive, ToyJudge(place), f"toy-{stage}")
        return [reinforce.train(config, arguments, made, resume=resume, say=print, idle=GpuIdle("cpu"))]


def record(trainer: RolloutTrainer) -> dict[str, Any]:
    batches: Any = trainer._buffered_inputs
    return {
        "asked": [[question.messages, question.exemplar_ids] for question, _ in trainer.rollouts._rows],
        "answers": [answer.candidate_id for answer in trainer.rollouts.judged],
        "known": sorted(trainer.rollouts.known),
        "advantages": [value for batch in batches for value in batch["advantages"].tolist()],
    }


def run_until_killed(stage: str, path: Path, step: int) -> None:
    """In a process of its own, which kills itself after that step."""
    DEFAULT_CALLBACKS.append(Kill(step))
    run(stage, path)


def run_as_rank(stage: str, path: Path, rank: int, count: int, port: str) -> None:
    """In a process of its own, one of `count`, as torchrun would start it."""
    os.environ |= {
        "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
    }  # fmt: skip
    for trainer in run(stage, path):
        (path.parent / f"rank-{rank}.json").write_text(json.dumps(record(trainer)))
