"""The records that flow here: Task, TaskFacts, Candidate, Environment, Evaluation, Attempt, Opinion.

All are frozen, refuse unknown fields, and cannot contradict themselves. Task and Candidate are named by
their content, so equal work has equal names. Times are microseconds, durations of our own work are seconds.
Not covered here: how any of them is made (tasks, transforms, llm), judged (judge) or kept (archive).
"""

from __future__ import annotations

import hashlib
import json
import re
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

Precision = Literal["default", "fp32", "tf32", "bf16", "fp16"]
Mode = Literal["eval", "train"]
Language = Literal["torch", "cuda", "cpp", "triton"]
Origin = Literal["policy", "llm", "transform", "baseline", "builtin", "human"]
Effort = Literal["glance", "quick", "normal", "strict"]
Label = Literal["kernel", "library", "graph", "compile", "algebra", "flags", "precision"]
Message = dict[str, str]
"""One of a conversation: its role and its content."""

BUILTIN = "builtin"
"""The name of the model that ships with this package."""
SAME_AS = "same_as"
"""The note on a model's candidate whose code a transform writes too; its detail says which (search)."""
NO_WIN = ("small_win", "not_waited", "weights_by_seed", "extra_state")
"""Notes that say why what is faster is no win: more time would not make it one."""
MOST_COUNT, MOST_QUANTITY = 2**62, 1e30
Count = Annotated[int, Field(ge=0, le=MOST_COUNT)]
Quantity = Annotated[float, Field(ge=0, le=MOST_QUANTITY, allow_inf_nan=False)]


def digest(*parts: str) -> str:
    """First 16 hex digits of the SHA-256 of the parts, each length-prefixed so that no two splits collide."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode(errors="surrogatepass")
        hasher.update(f"{len(data)}:".encode())
        hasher.update(data)
    return hasher.hexdigest()[:16]


def in_this_process(model: str) -> bool:
    """Whether a model of that name is weights that run here: not while anything is timed, all samples in one call."""
    return model == BUILTIN or model.startswith("local:")


def require_cpu(cores: int | None, *devices: str | None) -> None:
    """ValueError where a judge is to have so many CPU cores for itself on what is no CPU."""
    if cores is not None and set(devices) != {"cpu"}:
        found = ", ".join(str(device or "none") for device in devices) or "none"
        raise ValueError(f"cores are a CPU's: expected device cpu beside them, found {found}")


class Record(BaseModel):
    """Base of all records: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Status(StrEnum):
    """What became of a candidate. Only PASSED carries times; only INFRA_FAILED is our own fault."""

    PASSED = "PASSED"
    REJECTED = "REJECTED"
    BUILD_FAILED = "BUILD_FAILED"
    CRASHED = "CRASHED"
    WRONG_OUTPUT = "WRONG_OUTPUT"
    TIMED_OUT = "TIMED_OUT"
    INFRA_FAILED = "INFRA_FAILED"


class Verdict(StrEnum):
    """How a PASSED candidate compares with the best baseline, by its 95% interval. Only FAST is a win."""

    FAST = "FAST"
    SAME = "SAME"
    SLOW = "SLOW"
    AMBIGUOUS = "AMBIGUOUS"


class Task(Record):
    """A PyTorch module to make faster, in KernelBench's format."""

    id: str
    """`kernelbench/LEVEL/ID`, or `local/DIGEST` for a user's own module."""
    name: str
    source: str
    """Python that defines `Model`, `get_inputs()` and `get_init_inputs()`."""
    level: int | None = None
    precision: Precision = "default"
    """`default` is PyTorch's own mixture: on CUDA, cuDNN may use TF32 and matrix products may not."""
    mode: Mode = "eval"
    """Whether the module is judged in eval or in train mode."""
    import_path: str | None = None
    """Folder from which the source may import siblings; None when it stands alone."""
    tags: tuple[str, ...] = ()

    @property
    def source_digest(self) -> str:
        """Digest of all that decides the outputs: source, precision and mode."""
        return digest(self.source, self.precision, self.mode)

    @property
    def slug(self) -> str:
        """The name as a part of a folder's name."""
        return re.sub(r"[^A-Za-z0-9]+", "-", self.name).strip("-")[:40] or "task"


class Candidate(Record):
    """Code that claims to do a task's work faster; it defines `ModelNew`."""

    task_id: str
    code: str
    language: Language = "torch"
    origin: Origin
    author: str = ""
    """Who wrote it: a model's name, a technique's name, a file."""
    exemplar_ids: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Digest of task, language and code: twins share it, whoever wrote them."""
        return digest(self.task_id, self.language, self.code)


class Environment(Record):
    """Where an evaluation was made. A figure means nothing without it."""

    device: str
    arch: str
    driver: str | None = None
    cuda: str | None = None
    torch: str
    triton: str | None = None
    compiler: str | None = None
    python: str
    threads: int
    """CPU threads that both sides were given."""
    clocks: str | None = None
    """SM clock before and after, as the driver reports it; None where it does not."""
    sandbox: str
    """The layers that held the candidate, strongest first, e.g. `landlock+rlimits`."""
    judge_version: str


class Finding(Record):
    """One thing that a check saw: the check's name and the evidence in one sentence."""

    check: str
    detail: str


class Interval(Record):
    """A ratio with its 95% interval."""

    value: float
    lo: float
    hi: float


class Speedup(Interval):
    """Time of `vs` over time of the candidate: above 1 the candidate is faster."""

    vs: str


class Seconds(Record):
    """What the judging of one candidate cost: stages are those of the judgement that counts, `total` all of it."""

    build: float = 0.0
    verify: float = 0.0
    time: float = 0.0
    total: float = 0.0


class Kernel(Record):
    """What one profiled call ran under one name: a kernel or copy on the device; on a CPU an operator, or a function of
    an extension. A profiler fills in what it knows."""

    name: str
    """Demangled."""
    count: Count
    us: Quantity
    """Microseconds in all; of an operator only its own, without the operators that it called."""
    bytes: Count | None = None
    """Of the tensors given to the operator that launched it, or of what was copied, in all."""
    registers: Count | None = None
    """A thread."""
    occupancy: Quantity | None = None
    """Estimated part of the warps that could be in flight, 0 to 1."""
    local_bytes: Count | None = None
    """A thread: spilled registers, and arrays that found no register."""


class TensorSpec(Record):
    """Shape and dtype of a tensor."""

    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


class TaskFacts(Record):
    """What a judge measured of a task on its device, apart from any candidate. None: it could not be counted."""

    inputs: tuple[TensorSpec, ...]
    """The tensors among the inputs, in order."""
    outputs: tuple[TensorSpec, ...]
    weights: dict[str, TensorSpec] = {}
    """Parameters and buffers, by their names in the `state_dict`."""
    flops: dict[str, Count] | None = None
    """Of one call: `convolution`, and `product` for all other products. Pointwise work is not counted."""
    moved_bytes: Count | None = None
    """Inputs, weights and outputs, each once."""
    byte_us: Quantity | None = None
    """Microseconds to move them at the best bandwidth measured."""
    operation_us: Quantity | None = None
    """Microseconds for the operations at the best speed measured."""
    bytes_per_s: Quantity
    flops_per_s: dict[str, Quantity]
    """Large matrix products, by precision."""
    cache_bytes: Count
    """The device's last cache."""
    kernels: tuple[Kernel, ...] = ()
    """What the reference runs, most time first."""


class Evaluation(Record):
    """The judge's word on one candidate."""

    candidate_id: str
    task_id: str
    status: Status
    verdict: Verdict | None = None
    findings: tuple[Finding, ...] = ()
    """Why it did not pass. PASSED has none."""
    notes: tuple[Finding, ...] = ()
    """What is worth saying and changes no status: drift, a degenerate task, why a win is none."""
    labels: tuple[Label, ...] = ()
    degenerate: bool = False
    """The task's output does not depend on its inputs: no win on it counts."""
    max_error: float | None = None
    """Largest |output - oracle| over max(|oracle|, rms(oracle)), over all checked inputs."""
    reference_error: float | None = None
    """The same of the reference itself."""
    times_us: tuple[float, ...] = ()
    """Every timed call of the candidate, microseconds, latency with the output finished."""
    throughput_us: float | None = None
    """Microseconds a call when calls run back to back; None where it was not measured."""
    baselines_us: dict[str, float] = {}
    """Median microseconds of each baseline that ran."""
    baselines_missing: dict[str, str] = {}
    """Baselines left out, each with its reason."""
    speedup: Speedup | None = None
    speedup_eager: Interval | None = None
    roofline_fraction: float | None = None
    kernels: tuple[Kernel, ...] = ()
    """What one profiled call ran, most time first. The candidate's own process says so: unchecked."""
    seed: int
    log: str = ""
    seconds: Seconds = Seconds()
    environment: Environment

    @model_validator(mode="after")
    def _consistent(self) -> Evaluation:
        passed = self.status is Status.PASSED
        if passed != bool(self.times_us):
            raise ValueError(f"times exist if and only if PASSED: {self.status} with {len(self.times_us)} times")
        if passed and self.findings:
            raise ValueError(f"PASSED has no findings, found {self.findings[0].check}")
        if passed != (self.verdict is not None):
            raise ValueError(f"a verdict exists if and only if PASSED: {self.status} with verdict {self.verdict}")
        if self.degenerate and self.verdict is Verdict.FAST:
            raise ValueError("a degenerate task has no FAST candidate")
        return self

    @property
    def is_win(self) -> bool:
        """Faster than the best baseline with certainty, on a task where that means something."""
        return self.verdict is Verdict.FAST

    @property
    def credited(self) -> Interval | None:
        """The speedup against eager as it counts: of what a note says is no win by its nature (`NO_WIN`) at most 1."""
        its = self.speedup_eager
        return Interval(**{name: min(bound, 1.0) for name, bound in its}) if its and self.note(*NO_WIN) else its

    @property
    def is_lasting(self) -> bool:
        """Whether it need not be asked for again: it must be where the judge failed, or gave no verdict because other
        programs took so much of the machine (`crowded`)."""
        crowded = self.status is Status.PASSED and self.note("crowded")
        return self.status is not Status.INFRA_FAILED and not crowded

    def note(self, *checks: str) -> Finding | None:
        """The first of its notes that is of one of these checks."""
        return next((note for note in self.notes if note.check in checks), None)


class Usage(Record):
    """Tokens of one model call's share, and its price in USD where the price is known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of the prompt's tokens that the server had computed before; 0 where it does not say."""
    estimated: bool = False
    """Counted by us from the length of the text, at least in part: the server did not say."""
    cost: float | None = None


class Attempt(Record):
    """One question to a model and what came of it."""

    task_id: str
    prompt: str
    """The messages as JSON text, exactly as sent."""
    reply: str
    policy: str
    exemplar_ids: tuple[str, ...] = ()
    candidate_id: str | None = None
    parse_error: str | None = None
    usage: Usage = Usage()
    parent_id: str | None = None
    """The attempt that this one repairs."""
    round: int = Field(0, ge=0)
    """Which question of its run it answers, from 1; a repair has its parent's. 0 where nobody counted."""

    @model_validator(mode="after")
    def _one_outcome(self) -> Attempt:
        if (self.candidate_id is None) == (self.parse_error is None):
            raise ValueError("an attempt has either a candidate or a parse error")
        return self

    @property
    def id(self) -> str:
        """Digest of the question and the answer: the same answer to the same question is the same attempt."""
        return digest(self.task_id, self.policy, self.prompt, self.reply)


class Opinion(Record):
    """What a checker model thinks of a candidate whose score jumped. It stands beside the judge's word, and changes
    nothing of it."""

    candidate_id: str
    task_id: str
    checker: str
    """The model's name."""
    prompt: str
    """The messages as JSON text, exactly as sent."""
    reply: str
    suspicious: bool | None
    """Whether it takes the candidate for a cheat; None where the reply does not say so in the words asked for."""
    reason: str
    case_ids: tuple[str, ...] = ()
    """The known cheats that it was shown: candidates that the judge rejected."""
    usage: Usage = Usage()


class Exemplar(Record):
    """A judged candidate as the sampler and the prompt see it."""

    candidate: Candidate
    evaluation: Evaluation

    @property
    def score(self) -> float:
        """Speedup against eager, the paper's score (section 1), as it counts: 0 for anything that did not pass."""
        counts = self.evaluation.credited or self.evaluation.speedup
        return counts.value if counts else 0.0

    @property
    def same_as(self) -> str | None:
        """`transform NAME`, where a model wrote what that transform writes for this task too."""
        note = self.evaluation.note(SAME_AS)
        return note.detail if note and self.candidate.origin != "transform" else None


def to_json(record: Record) -> str:
    """One line of JSON with sorted keys."""
    return json.dumps(record.model_dump(mode="json"), sort_keys=True)


def first_wrong(error: ValidationError) -> str:
    """Of what is wrong with a record the first, on one line: its field, and why."""
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the record'}: {first['msg']}"


def jsonable(record: Record) -> dict[str, Any]:
    """The record as plain JSON types."""
    return dict(record.model_dump(mode="json"))
