"""Settings of each command, in layers: defaults, then cuda-l1.toml, then CUDA_L1_<NAME>, then flags.

A layer that does not speak of a setting leaves it alone. Unknown keys are errors, with the near names.
Not covered: keys of model servers (environment only, read by llm) and training configs.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from cuda_l1.errors import ConfigError, nearest
from cuda_l1.types import BUILTIN, Effort, Mode, Precision, Record, require_cpu

FILE = "cuda-l1.toml"
AS_TRAINED: dict[str, Any] = {"temperature": 0.5, "max_tokens": 1024, "exemplars": 0, "repairs": 0}
"""How the builtin model is asked where nothing else is said: as it was trained, and nearly greedily."""
VERSION = 1


class CommandConfig(Record):
    """What every judging command takes."""

    model_config = ConfigDict(allow_inf_nan=False)  # JSON has no such numbers

    device: str | None = None
    """`cpu`, `cuda` or `cuda:N`; None takes CUDA where there is a device."""
    cores: int | None = Field(None, ge=1)
    """CPU cores that each judge on a CPU has for itself; None judges one at a time on all of them."""
    effort: Effort = "normal"
    """How long to time each candidate."""
    baselines: str = "eager,compile,graph"
    """Names with commas, `all` or `none`."""
    sandbox: Literal["auto", "none"] = "auto"
    """`none` runs candidates with your own rights."""
    seed: int | None = None
    """`optimize` and `eval`: steers the choice of exemplars; for the others the judge's inputs, to repeat a verdict."""
    precision: Precision = "default"
    mode: Mode = "eval"
    kernelbench: str | None = None
    """Folder of a KernelBench checkout; None takes the hub dataset."""
    archive: str | None = None
    """File or database URL of the archive; None takes the user's data folder."""

    @field_validator("device")
    @classmethod
    def _device_reads(cls, device: str | None) -> str | None:
        if device is not None and not re.fullmatch(r"cpu|cuda(:\d+)?", device):
            raise ValueError("expected cpu, cuda or cuda:N")
        return device

    @model_validator(mode="after")
    def _cores_of_a_cpu(self) -> CommandConfig:
        require_cpu(self.cores, self.device)
        return self


class VerifyConfig(CommandConfig):
    """`cuda-l1 verify`."""

    claim: float | None = Field(None, gt=0)
    """Claimed speedup against eager."""
    min_speedup: float | None = Field(None, gt=0)
    """Least speedup against the best baseline."""


class BenchConfig(CommandConfig):
    """`cuda-l1 bench`."""

    baselines: str = "all"


class MutantsConfig(CommandConfig):
    """`cuda-l1 mutants`."""

    effort: Effort = "glance"
    baselines: str = "none"
    most: int = Field(100, ge=1)
    """How many are judged; of more, some by chance."""


class AblateConfig(CommandConfig):
    """`cuda-l1 ablate`."""

    baselines: str = "eager"
    parts: str = ""
    """Names with commas: which parts to switch; empty is all."""
    most: int = Field(16, ge=3)
    """Subsets that may be judged: all of k parts where 2**k are not more."""
    repeats: int = Field(2, ge=1)
    """How often each subset that passes is judged."""
    model: str | None = None
    """Takes techniques out of a candidate that declares no parts; as for `optimize`."""
    base_url: str | None = None
    temperature: float = Field(0.2, ge=0)
    max_tokens: int = Field(8192, ge=16)
    out: str = "runs"
    """Folder in which the ablation's folder is made."""


class OptimizeConfig(CommandConfig):
    """`cuda-l1 optimize`."""

    model: str | None = None
    """Name at an OpenAI-compatible server, `local:FOLDER` or `builtin`; None searches with transforms alone."""
    base_url: str | None = None
    temperature: float = Field(0.8, ge=0)
    max_tokens: int = Field(4096, ge=16)
    samples: int = Field(4, ge=1)
    """Replies asked for in each round."""
    rounds: int = Field(8, ge=0)
    patience: int = Field(3, ge=1)
    """Rounds without a better best after which the search ends."""
    exemplars: int = Field(2, ge=0)
    """Scored implementations shown in a prompt; the paper shows 2."""
    strategy: Literal["contrast", "bucket", "island", "random", "none"] = "contrast"
    exemplar_temperature: float = Field(1.0, gt=0)
    """Of the softmax by which exemplars are drawn: low takes the fastest, high takes any."""
    bucket_width: float = Field(0.1, gt=0)
    """How far two exemplars' scores lie apart at least, about, in log-score (the paper gives no width)."""
    language: Literal["any", "torch", "cpp", "cuda", "triton"] = "any"
    transforms: str = "all"
    """Techniques to try first: names with commas, `all` or `none`."""
    repairs: int = Field(1, ge=0)
    """How often a failed attempt is answered with its error."""
    in_flight: int = Field(2, ge=1)
    """Rounds that are asked and judged at once: with 1, nothing is asked while the judge works."""
    prompt_dir: str | None = None
    """Folder with prompt templates of one's own; None takes those shipped."""
    context_tokens: int | None = Field(None, ge=1)
    """Tokens that the model can hold, prompt and reply together; None cuts nothing."""
    checker: str | None = None
    """Model that is asked about scores that jump; its opinion changes nothing. None asks nobody."""
    checker_base_url: str | None = None
    """The checker's server; None takes the model's."""
    price: str | None = None
    """`IN,OUT` in USD per million prompt and completion tokens, where it is not known or not true."""
    budget: str = ""
    """Any of `2usd,200ktok,20min,30attempts`; empty is no limit but the rounds."""
    out: str = "runs"
    """Folder in which the run folder is made."""

    @model_validator(mode="before")
    @classmethod
    def _builtin_as_trained(cls, given: dict[str, Any]) -> dict[str, Any]:
        return AS_TRAINED | given if given.get("model") == BUILTIN else given

    @property
    def bare(self) -> bool:
        """Whether a question holds the reference and nothing that was measured or tried: the builtin model knows no
        other, unless exemplars are asked for."""
        return self.model == BUILTIN and (self.strategy == "none" or not self.exemplars)

    @property
    def price_each(self) -> tuple[float, float] | None:
        """`price` as numbers."""
        if self.price is None:
            return None
        asked, written = map(float, self.price.split(","))
        return asked, written

    @field_validator("price")
    @classmethod
    def _price_reads(cls, text: str | None) -> str | None:
        if text is not None and not re.fullmatch(r"\d+(\.\d+)?\s*,\s*\d+(\.\d+)?", text):
            raise ValueError("expected IN,OUT in USD per million tokens, such as 0.75,4.50")
        return text

    @field_validator("budget")
    @classmethod
    def _budget_reads(cls, text: str) -> str:
        Budget.parse(text)
        return text


class Budget(NamedTuple):
    """Limits of a run; None is no limit."""

    usd: float | None = None
    tokens: float | None = None
    seconds: float | None = None
    attempts: float | None = None

    @classmethod
    def parse(cls, text: str) -> Budget:
        """From `2usd,200ktok,20min,30attempts`; ValueError says which part does not read."""
        limits: dict[str, float] = {}
        units = {
            "usd": ("usd", 1.0), "tok": ("tokens", 1.0), "ktok": ("tokens", 1e3), "mtok": ("tokens", 1e6),
            "s": ("seconds", 1.0), "min": ("seconds", 60.0), "h": ("seconds", 3600.0),
            "attempt": ("attempts", 1.0), "attempts": ("attempts", 1.0),
        }  # fmt: skip
        for part in filter(None, (part.strip() for part in text.split(","))):
            match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]+)", part.lower())
            if match is None or match[2] not in units:
                raise ValueError(f"budget {part!r}: expected a number and one of {', '.join(units)}")
            name, scale = units[match[2]]
            limits[name] = float(match[1]) * scale
        return cls(**limits)


_PREFIX = "CUDA_L1_"
_NO_SETTINGS = ("CUDA_L1_API_KEY", "CUDA_L1_DEBUG", "CUDA_L1_TEST_")
"""How the names of variables begin that others read."""
C = TypeVar("C", bound=CommandConfig)
_TABLES: dict[str, type[CommandConfig]] = {
    "optimize": OptimizeConfig,
    "verify": VerifyConfig,
    "bench": BenchConfig,
    "ablate": AblateConfig,
}


def load(kind: type[C], flags: Mapping[str, Any], folder: Path | None = None) -> C:
    """The settings of one command. `flags` holds None for what was not given. ConfigError names layer, key and rule."""
    merged: dict[str, Any] = {}
    for layer, values in (("cuda-l1.toml", _from_file(kind, folder or Path.cwd())), ("environment", _from_env(kind))):
        validated(kind, merged | values, layer)
        merged |= values
    merged |= {name: value for name, value in flags.items() if value is not None and value != ()}
    return validated(kind, merged, "command line")


def validated(kind: type[C], values: Mapping[str, Any], layer: str) -> C:
    """The settings as a record. ConfigError names layer, key and rule."""
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"]))
        reason = first["msg"].removeprefix("Value error, ")
        if not name:  # a rule about several of them, which says what it found
            raise ConfigError(f"settings ({layer}): {reason}") from None
        raise ConfigError(f"setting {name} ({layer}): {reason}; found {first.get('input')!r}") from None


def _from_file(kind: type[CommandConfig], folder: Path) -> dict[str, Any]:
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError, RecursionError) as error:
        raise ConfigError(f"{path} does not read as TOML: {error}") from None
    version = data.pop("version", VERSION)
    if version != VERSION:
        raise ConfigError(f"{path}: version {version!r}; this cuda-l1 reads version {VERSION}")
    tables = {name: data.pop(name) for name in _TABLES if name in data}
    _known(path, "", data, set(CommandConfig.model_fields))
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: {name} must be a table, [{name}]")
        _known(path, f"[{name}] ", table, set(_TABLES[name].model_fields))
    mine = next((name for name, known in _TABLES.items() if known is kind), "")
    merged: dict[str, Any] = data | tables.get(mine, {})
    if merged.get("sandbox") == "none":  # the file may have come with the candidate
        raise ConfigError(
            f"{path}: sandbox none runs candidates with your own rights, which no file of a folder may say: take it "
            f"out there; if you mean it, give --sandbox none, or set {_PREFIX}SANDBOX=none"
        )
    return merged


def _known(path: Path, where: str, found: Mapping[str, Any], known: set[str]) -> None:
    for key in found:
        if key not in known:
            hint = nearest(key, known) or f"; known here: {', '.join(sorted(known))}"
            raise ConfigError(f"{path}: unknown key {where}{key}{hint}")


def _from_env(kind: type[CommandConfig]) -> dict[str, str]:
    every = {name for each in _TABLES.values() for name in each.model_fields}
    for variable in os.environ:
        name = variable.removeprefix(_PREFIX).lower()
        if variable.startswith(_PREFIX) and not variable.startswith(_NO_SETTINGS) and name not in every:
            said = nearest(variable, (_PREFIX + each.upper() for each in every))
            raise ConfigError(f"environment: unknown setting {variable}{said or '; unset it'}")
    names = {_PREFIX + name.upper(): name for name in kind.model_fields}
    return {name: os.environ[variable] for variable, name in names.items() if os.environ.get(variable)}
