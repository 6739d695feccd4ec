"""What may be asked of the judge. Loads no torch: what is said here can begin to be done while torch is loaded."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import Field, field_validator, model_validator

from cuda_l1.machine import environment
from cuda_l1.processes import nursery
from cuda_l1.types import Effort, Record, Task, digest, require_cpu

CACHE = Path(platformdirs.user_cache_dir("cuda-l1"))
HEADERS, COMPILED = CACHE / "headers", CACHE / "compiled"
"""What outlives a session: the slim headers of inline extensions, and what trusted code had compiled."""


class JudgeConfig(Record):
    """Settings of one judging session."""

    device: str = "cpu"
    """`cpu`, `cuda` (the first) or `cuda:N`."""
    effort: Effort = "normal"
    """How long to time: see `trial.EFFORTS`."""
    starts: int | None = Field(default=None, ge=1, le=16)
    """Fresh processes of each candidate, with one of eager and of the rival beside each; None: what the effort says."""
    baselines: tuple[str, ...] = ("eager", "compile")
    """Which baselines to measure; the best of them is the rival. Empty: eager only."""
    seed: int | None = None
    """None draws from the system's entropy, as a verdict should; a number repeats an earlier run."""
    build_timeout_s: float = 300.0
    """For importing and constructing the module, and for its first call, which may compile."""
    run_timeout_s: float = 60.0
    """For any later call."""
    cores: int | None = Field(default=None, ge=1)
    """CPU cores, and so threads, that each judge on a CPU has for itself: several then time side by side. None: all
    cores, for one at a time."""
    sandbox: Literal["auto", "none"] = "auto"
    """`auto` takes all layers that the machine offers; `none` runs candidates with the user's own rights."""

    @field_validator("device")
    @classmethod
    def _numbered(cls, device: str) -> str:
        return "cuda:0" if device == "cuda" else device

    @model_validator(mode="after")
    def _cores_of_a_cpu(self) -> JudgeConfig:
        require_cpu(self.cores, self.device)
        return self

    def expect_workers(self) -> None:
        """What its workers are forked from begins to load: as long as a process's own torch, and beside it if this is
        asked first. Where that fails who needs them says why. Asked twice it does nothing more."""
        with contextlib.suppress(OSError):
            nursery.expect(self.device, self.cores)
            if self.device != "cpu" and any(name.startswith("compile") for name in self.baselines):
                nursery.expect(self.device, self.cores, COMPILED)

    def digest_for(self, task: Task) -> str:
        """Names everything that makes an evaluation repeatable but the candidate and the seed: a twin judged under the
        same digest need not be judged again."""
        import torch

        # on a GPU a machine's CPU threads are no part of it: a release begun on 12 cores was judged anew on 20
        threads = str(self.cores or torch.get_num_threads()) if self.device == "cpu" else "none"
        return digest(
            environment.JUDGE_VERSION,
            torch.__version__,
            threads,
            environment.device_name(self.device),
            self.effort,
            str(self.starts),
            ",".join(self.baselines),
            self.sandbox,
            str(self.build_timeout_s),
            str(self.run_timeout_s),
            task.source_digest,
        )
