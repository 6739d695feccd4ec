"""The settings of the three stages, one strict TOML file each, read and checked before a device is touched.

An unknown key is an error that names the near ones, at every level. `[trl]` passes settings on to TRL's own config
(vLLM, DeepSpeed, schedules ...) under TRL's names; those that are ours to set are refused there.
Not covered: whether TRL knows a key of `[trl]` (setup asks TRL), and whether the machine has what is asked for.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, get_args

from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from cuda_l1 import journal
from cuda_l1.errors import ConfigError, nearest
from cuda_l1.reward import Measure
from cuda_l1.sampling import Strategy
from cuda_l1.types import Effort, Record, require_cpu

Tracker = Literal["tensorboard", "trackio", "wandb"]


class StageConfig(Record):
    """What every stage takes."""

    model: str
    """Folder of the weights to start from, or a name that `cuda-l1 model fetch` knows."""
    out: str
    """Folder for checkpoints, metrics.jsonl, the model card and the trained model."""
    seed: int = 0
    lora_rank: int = Field(16, ge=0)
    """Rank of the adapter on all linear layers; 0 trains all weights."""
    learning_rate: float = Field(1e-5, gt=0)
    micro_batch: int = Field(1, ge=1)
    """Rows of one forward and backward pass on one device."""
    save_every: int = Field(50, ge=1)
    """Steps between checkpoints."""
    keep: int = Field(2, ge=2)
    """Checkpoints kept; two, so that one killed while it is written leaves one whole."""
    stop_after_s: float | None = Field(None, gt=0)
    """Stop after the step at which so many seconds of this start are over, with a checkpoint and the trained model as
    it is then; a resumption goes on from there."""
    report_to: tuple[Tracker, ...] = ()
    """Trackers beside metrics.jsonl."""
    trl: dict[str, Any] = Field(default_factory=dict)
    """Passed on to TRL's config."""


class SftConfig(StageConfig):
    """`cuda-l1 train sft`."""

    data: str
    """JSON lines with `prompt` and `completion`, each a list of chat messages; `cuda-l1 train data` writes them."""
    epochs: int = Field(2, ge=1)
    batch: int = Field(32, ge=1)
    """Rows of one step, over all devices."""
    learning_rate: float = Field(1e-4, gt=0)
    max_tokens: int = Field(4096, ge=16)
    """Prompt and completion together; what is longer is cut off at the end."""


class TasksConfig(Record):
    """The tasks to train on: a file, or a draw from the families of the generator."""

    file: str | None = None
    """JSON lines, each a Task."""
    seed: int = 0
    count: int = Field(default=1000, ge=1)
    families: tuple[str, ...] = ()
    """Of the generator; empty: all families that are to be trained on."""
    kernelbench: str | None = None
    """A checkout: tasks that are like one of its problems are refused or left out."""


class JudgingConfig(Record):
    """How the policy's code is judged."""

    devices: tuple[str, ...] = ()
    """One for each process of the training, in turn; empty: the device that the process trains on."""
    cores: int | None = Field(default=None, ge=1)
    """Of each worker, where `devices` are ("cpu",): workers then time side by side."""
    effort: Effort = "glance"
    baselines: tuple[str, ...] = ("eager", "graph")
    """What a reward is measured against, the best of them: cheap ones, they run for every group."""
    workers: int = Field(default=2, ge=1)
    """Groups judged side by side by each process of the training; they take turns at the device."""
    session: int | None = Field(default=None, ge=1)
    """Most answers of a group that one worker judges in turn, where there are more workers than groups; None: all."""
    build_timeout_s: float = Field(default=120.0, gt=0)
    run_timeout_s: float = Field(default=20.0, gt=0)
    batch_limit_s: float = Field(default=600.0, gt=0)
    """What is not judged by then is left out of the batch."""
    sandbox: Literal["auto", "none"] = "auto"

    @field_validator("devices")
    @classmethod
    def _devices_read(cls, devices: tuple[str, ...]) -> tuple[str, ...]:
        for device in devices:
            if device != "cpu" and not (device == "cuda" or device.removeprefix("cuda:").isdigit()):
                raise ValueError(f"{device!r}: expected cpu, cuda or cuda:N")
        # torch's own name of it, by which a device that judge and training share is known
        return tuple("cuda:0" if device == "cuda" else device for device in devices)

    @model_validator(mode="after")
    def _cores_of_a_cpu(self) -> JudgingConfig:
        require_cpu(self.cores, *self.devices)
        return self


class RolloutConfig(StageConfig):
    """What the stages that sample from the policy take."""

    steps: int = Field(ge=1)
    groups: int = Field(8, ge=1)
    """Prompts of one step, over all devices; each is answered `group_size` times."""
    group_size: int = Field(8, ge=2)
    max_tokens: int = Field(2048, ge=1)
    """Of one answer."""
    temperature: float = Field(1.0, gt=0)
    generate_together: int | None = Field(None, ge=1)
    """Rows of one call of generate on one device; what one call wrote is built while the next one writes. None: all
    rows in one call."""
    language: Literal["any", "torch", "cpp", "cuda", "triton"] = "any"
    prompt_dir: str | None = None
    archive: str | None = None
    """File or database URL; None: archive.sqlite in `out`."""
    tasks: TasksConfig = TasksConfig()
    judge: JudgingConfig = JudgingConfig()

    @model_validator(mode="after")
    def _rows_divide(self) -> RolloutConfig:
        if self.generate_together and self.generate_together % self.group_size and self.trl.get("use_vllm"):
            raise ValueError(
                f"with vLLM generate_together must be a multiple of group_size, found {self.generate_together} and "
                f"{self.group_size}"
            )
        return self

    def rows_per_process(self, processes: int) -> int:
        """Rows of one step on one process. ConfigError where they do not divide."""
        rows = self.groups * self.group_size
        if rows % (processes * self.micro_batch):
            raise ConfigError(
                f"groups x group_size = {rows} rows a step do not divide by {processes} processes x micro_batch "
                f"{self.micro_batch}: change one of them"
            )
        return rows // processes


class SelfsupConfig(RolloutConfig):
    """`cuda-l1 train selfsup`: nothing is shown, nothing compared, and there is no reference to stay near to."""

    strategy: ClassVar[Strategy] = "none"
    exemplars: ClassVar[int] = 0
    exemplar_temperature: ClassVar[float] = 1.0
    bucket_width: ClassVar[float] = 0.1
    reward: ClassVar[Measure] = "speedup"
    beta: ClassVar[float] = 0.0
    epsilon: ClassVar[float] = 0.2


class ContrastiveConfig(RolloutConfig):
    """`cuda-l1 train contrastive`."""

    strategy: Strategy = "contrast"
    exemplars: int = Field(2, ge=0)
    """Shown in each prompt; the paper shows 2."""
    exemplar_temperature: float = Field(1.0, gt=0)
    bucket_width: float = Field(0.1, gt=0)
    """In log-score."""
    reward: Measure = "certain"
    """`speedup` is the paper's with its smoothing, `certain` is ours; see cuda_l1/reward.py."""
    beta: float = Field(0.02, ge=0)
    """Weight of the KL divergence from the model that the stage started from."""
    epsilon: float = Field(0.2, gt=0)
    """Width of the clip on the ratio of probabilities."""


C = TypeVar("C", bound=Record)
MAY_CHANGE = (
    "out", "steps", "epochs", "stop_after_s", "save_every", "keep", "report_to", "judge.workers", "judge.session",
)  # fmt: skip
"""What may differ between a run and its resumption: how long it goes on, who is told and how many cores judge it, but
not what it is."""


def load(kind: type[C], path: Path, overrides: Sequence[str] = ()) -> C:
    """The settings of a stage; `overrides` are texts KEY=VALUE that go before the file's, KEY with dots into tables.
    ConfigError names the file, the key, what was found and what was expected."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"config {path} does not read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} does not read as TOML: {error}") from None
    for text in overrides:
        _override(data, text)
    said = f"{path} with --set" if overrides else str(path)
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
        name = ".".join(map(str, first["loc"])) or "the file"
        if first["type"] == "extra_forbidden":
            raise ConfigError(f"{said}: unknown key {name}{_near(kind, first['loc'])}") from None
        if first["type"] == "missing":
            raise ConfigError(f"{said}: {name} is missing, and has no default") from None
        reason = first["msg"].removeprefix("Value error, ")
        raise ConfigError(f"{said}: {name}: {reason}; found {first.get('input')!r}") from None


def _override(data: dict[str, Any], text: str) -> None:
    """Set what KEY=VALUE says; a VALUE that is no TOML is a string."""
    key, equals, value = text.partition("=")
    *tables, name = key.strip().split(".")
    if not equals or not name:
        raise ConfigError(f"--set {text}: expected KEY=VALUE, for instance --set steps=20 or --set tasks.count=100")
    for table in tables:
        data = data.setdefault(table, {})
        if not isinstance(data, dict):
            raise ConfigError(f"--set {text}: {table} is no table")
    try:
        data[name] = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        data[name] = value


def unchanged(folder: Path, config: StageConfig) -> None:
    """Keep the settings in a folder, or compare them with those kept there. ConfigError for what may not change."""
    path = folder / "config.json"
    now = config.model_dump(mode="json")
    if path.is_file():
        asked, before = _dotted(now), _dotted(json.loads(path.read_text()))
        differing = [key for key in sorted(asked.keys() | before.keys()) if asked.get(key) != before.get(key)]
        for key in differing:
            if key not in MAY_CHANGE:
                raise ConfigError(
                    f"{folder} was begun with {key} = {before.get(key)!r}, the config now says {asked.get(key)!r}: set "
                    f"it back to go on, or start in another folder (only {', '.join(MAY_CHANGE)} may change)"
                )
    folder.mkdir(parents=True, exist_ok=True)
    journal.replace(path, json.dumps(now, indent=1) + "\n")


def _dotted(settings: dict[str, Any]) -> dict[str, Any]:
    """Tables within as `table.key`, as --set names them."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        inner = _dotted(value) if isinstance(value, dict) else {}
        found |= {f"{key}.{name}": each for name, each in inner.items()} or {key: value}
    return found


def _near(kind: type[BaseModel], where: tuple[int | str, ...]) -> str:
    for part in where[:-1]:
        if isinstance(part, int):  # a place in a list, whose kind is known by now
            continue
        annotation = kind.model_fields[part].annotation
        kind = next(each for each in (annotation, *get_args(annotation)) if isinstance(each, type))
    return nearest(str(where[-1]), kind.model_fields) or f"; known here: {', '.join(sorted(kind.model_fields))}"
