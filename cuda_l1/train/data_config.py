"""The settings of `cuda-l1 train data`, checked before anything is asked or judged."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from cuda_l1.types import Effort, Record, require_cpu


class ModelSource(Record):
    """A language model that writes training data."""

    model_config = ConfigDict(allow_inf_nan=False)

    model: str
    """As for `optimize --model`: a name at an OpenAI-compatible server, local:FOLDER or builtin."""
    licence: str = Field(min_length=1)
    """Under what terms its replies may be trained on; it stands in every row. Ask its provider, nobody can guess it."""
    base_url: str | None = None
    temperature: float = Field(0.8, ge=0)
    max_tokens: int = Field(4096, ge=16)


class DataConfig(Record):
    """`cuda-l1 train data`."""

    model_config = ConfigDict(allow_inf_nan=False)  # JSON has no such numbers

    out: str
    """Folder of data.jsonl and manifest.json; the same folder again goes on where it stopped."""
    seed: int = 0
    count: int = Field(200, ge=1)
    """Tasks to generate; those that do not pass the screen give no rows."""
    families: tuple[str, ...] = ()
    """Names of families; empty: all that are to be trained on. One that is held out is an error."""
    file: str | None = None
    """JSON lines of Task records in place of generated ones."""
    kernelbench: str | None = None
    """A checkout: a task that equals one of its problems is refused, one that calls the same operations left out."""
    transforms: str = "all"
    """The generator that needs no model: names with commas, `all` or `none`."""
    plain: bool = True
    """Transforms' code for the task's own shapes and mode alone. False: as `optimize` writes it, with the forward as it
    was written for all others, so that whoever learns from it learns to write forward twice."""
    models: tuple[ModelSource, ...] = ()
    tries: int = Field(20, ge=1)
    """Most tries of one generator at one task (paper, section 2)."""
    successes: int = Field(2, ge=1)
    """What passed after which a generator leaves a task."""
    min_speedup: float = Field(0.0, ge=0)
    """Against eager: what passed and was measured below it gives no row and is no success. 0: speed is no filter."""
    batch: int = Field(16, ge=1)
    """Tasks that are asked about, then judged, together."""
    workers: int = Field(1, ge=1)
    """Tasks judged side by side."""
    gpus: int = Field(1, ge=1)
    """GPUs that they are spread over."""
    device: str = "cpu"
    cores: int | None = Field(None, ge=1)
    """On a CPU: of each worker's own; None judges one task at a time on all cores."""
    effort: Effort = "glance"
    baselines: tuple[str, ...] = ("eager",)
    """Beside what speedups are told; success needs none of them."""
    sandbox: Literal["auto", "none"] = "auto"
    language: Literal["any", "torch", "cpp", "cuda", "triton"] = "any"
    prompt_dir: str | None = None
    archive: str | None = None
    """File or database URL; None: archive.sqlite in `out`."""

    @field_validator("families")
    @classmethod
    def _none_held_out(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        from cuda_l1.train import families

        if held_out := sorted(set(names) & set(families.split()[1])):
            raise ValueError(f"{', '.join(held_out)} is held out: it is tested on and never trained on")
        return names

    @model_validator(mode="after")
    def _cores_of_a_cpu(self) -> DataConfig:
        require_cpu(self.cores, self.device)
        return self
