"""Stages 2 and 3: sample from the policy, judge, learn, repeat.

selfsup learns from what passed alone: no exemplars, no comparison, no negatives (the paper's section 3: REINFORCE with
reward 1 or 0 and no baseline). contrastive is GRPO on questions with exemplars from the archive. One loop serves both.
Not covered: one step (trainer, rollouts), the settings (config).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from datasets import Dataset
from trl import GRPOConfig

from cuda_l1 import attempt, baselines
from cuda_l1.archive import Archive
from cuda_l1.errors import ConfigError
from cuda_l1.judge import JudgeConfig
from cuda_l1.machine import environment
from cuda_l1.train import card, checkpoint, rollouts, setup, tasks
from cuda_l1.train.config import ContrastiveConfig, SelfsupConfig, unchanged
from cuda_l1.train.judging import Judging
from cuda_l1.train.metrics import FILE, GpuIdle, OnlyFinite, Progress
from cuda_l1.train.trainer import RolloutTrainer
from cuda_l1.types import Task, digest
from cuda_l1.wording import counted

Stage = SelfsupConfig | ContrastiveConfig


def run(config: Stage, *, resume: bool, say: setup.Say) -> dict[str, Any]:
    """Train to the end; returns where the model lies and the results on its card."""
    out = Path(config.out)
    arguments = grpo_arguments(config)
    judging = judge_config(config, arguments.device, arguments.process_index)
    environment.require(judging.device)
    place = config.archive or str(out / "archive.sqlite")
    trained_on = chosen(config, judging)
    run_id = f"{name_of(config)}-{out.name}"
    judge = Judging(
        place, run_id, judging, workers=config.judge.workers, limit_s=config.judge.batch_limit_s,
        session=config.judge.session,
    )  # fmt: skip
    idle = GpuIdle(str(arguments.device))
    try:
        with Archive(place) as archive:
            made = make_rollouts(config, trained_on, archive, judge, run_id)
            train(config, arguments, made, resume=resume, say=say, idle=idle)
    finally:
        judge.close()
        idle.close()
    return {"out": str(out / setup.MODEL), "results": describe(config, made)} if setup.is_main() else {}


def train(config: Stage, arguments: GRPOConfig, made: rollouts.Rollouts, *, resume: bool, say: setup.Say,
          idle: GpuIdle) -> RolloutTrainer:  # fmt: skip
    """The training itself, on whatever judge the rollouts have, until the model is saved."""
    out = Path(config.out)
    found = checkpoint.latest(out)
    model, tokenizer = setup.load_model(config)  # what fails until here leaves no run behind, and may be corrected
    made.settings = made.settings._replace(token_budget=room(model, config))
    if setup.is_main():
        found, state = checkpoint.begin(out, resume, lambda: {"known": sorted(made.seen_so_far())})
        unchanged(out, config)
        made.known = set(state["known"])
    names = rollouts.schedule(list(made.tasks.values()), config.steps * config.groups, config.seed)
    trainer = RolloutTrainer(
        made, together=config.generate_together, leased=shares_device(config, arguments.device), args=arguments,
        model=model, processing_class=tokenizer,
        train_dataset=Dataset.from_dict(rollouts.as_columns(names)), peft_config=setup.adapter(config),
        callbacks=[
            OnlyFinite(say),
            checkpoint.Keeper(lambda: {"known": sorted(made.known)}, lambda: describe(config, made)),
            *checkpoint.deadline(config.stop_after_s),
        ],
    )  # fmt: skip
    setup.speak_through(trainer, Progress(out / FILE, say, idle))
    rows = config.groups * config.group_size
    say(
        f"{counted(len(made.tasks), 'task')}, {counted(config.steps, 'step')} of {counted(rows, 'answer')}"
        + (f", from {found.name}" if found else "")
    )
    trainer.train(resume_from_checkpoint=str(found) if found else None)
    setup.save(trainer, tokenizer, config)
    return trainer


def describe(config: Stage, made: rollouts.Rollouts) -> dict[str, float]:
    """Write the model card; returns its results."""
    sources = digest(*sorted(task.source_digest for task in made.tasks.values()))
    data = {
        "tasks": f"{len(made.tasks)}, digest {sources}",
        "judged": f"effort {config.judge.effort}, against the best of {', '.join(config.judge.baselines)}",
    }
    where = environment.describe(made.judge.device, torch.get_num_threads(), config.judge.sandbox, None)
    return card.write(name_of(config), config, data, where)


def name_of(config: Stage) -> str:
    return "contrastive" if isinstance(config, ContrastiveConfig) else "selfsup"


def room(model: Any, config: Stage) -> int | None:
    """Tokens that a question may have, so that the longest answer still fits into the model's context."""
    context: int | None = getattr(model.config, "max_position_embeddings", None)
    if context is not None and context <= config.max_tokens:
        raise ConfigError(f"max_tokens {config.max_tokens} leaves no room for a question: the model takes {context}")
    return context - config.max_tokens if context is not None else None


def grpo_arguments(config: Stage) -> GRPOConfig:
    """TRL's settings: GRPO as in the paper (a mean over each answer's tokens, KL to the reference), one update a batch.

    The data come in the order of `schedule`, and advantages from us, so TRL neither shuffles nor scales.
    """
    rows = config.rows_per_process(setup.processes())
    return setup.arguments(
        GRPOConfig, config, max_steps=config.steps, num_generations=config.group_size,
        gradient_accumulation_steps=rows // config.micro_batch, max_completion_length=config.max_tokens,
        temperature=config.temperature, beta=config.beta, epsilon=config.epsilon, loss_type="grpo",
        shuffle_dataset=False, scale_rewards="none",
        ddp_timeout=int(1800 + config.judge.batch_limit_s),
    )  # fmt: skip


def make_rollouts(
    config: Stage, trained_on: list[Task], archive: Archive, judge: rollouts.Judge, run_id: str
) -> rollouts.Rollouts:
    """What the stage asks and how it compares the answers."""
    settings = attempt.Settings(
        exemplars=config.exemplars,
        strategy=config.strategy,
        temperature=config.exemplar_temperature,
        width=config.bucket_width,
        language=config.language,
        device=judge.device,
        device_name=judge.device_name,
        prompt_dir=Path(config.prompt_dir) if config.prompt_dir else None,
    )
    compare = rollouts.contrastive(config.reward) if isinstance(config, ContrastiveConfig) else rollouts.successes
    return rollouts.Rollouts(
        trained_on, archive, judge, run_id=run_id, policy=Path(config.out).name, settings=settings, seed=config.seed,
        measure=config.reward, compare=compare,
    )  # fmt: skip


def judge_config(config: Stage, device: Any, process: int) -> JudgeConfig:
    """The judge of one process: on the device that it trains on, unless the config names others."""
    chosen = config.judge.devices[process % len(config.judge.devices)] if config.judge.devices else str(device)
    names = baselines.parse_names(",".join(config.judge.baselines))
    return JudgeConfig(
        device=chosen, cores=config.judge.cores, effort=config.judge.effort, baselines=names,
        sandbox=config.judge.sandbox, build_timeout_s=config.judge.build_timeout_s,
        run_timeout_s=config.judge.run_timeout_s,
    )  # fmt: skip


def shares_device(config: Stage, device: torch.device) -> bool:
    """Whether a judge works on the device that this process trains on."""
    if device.type == "cpu" and setup.processes() > 1:
        return False  # processes that share a CPU would wait for one another while they hold it, for ever
    return not config.judge.devices or str(device) in config.judge.devices


def chosen(config: Stage, judging: JudgeConfig) -> list[Task]:
    """The tasks of the run, the same in every process and after every resumption: kept in `out` by the first start.
    Those of a start that failed before the run began may have been drawn by other settings: they are drawn again."""
    path = Path(config.out) / "tasks.jsonl"
    if setup.is_main() and not (path.is_file() and (path.parent / checkpoint.BEGUN).is_file()):
        drawn = config.tasks
        found, _ = tasks.choose(
            file=drawn.file, seed=drawn.seed, count=drawn.count, names=drawn.families, kernelbench=drawn.kernelbench,
            device=judging.device,
        )  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        tasks.write(path, found)
    PartialState().wait_for_everyone()
    return tasks.read(path)
