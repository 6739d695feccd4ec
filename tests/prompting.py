"""A task, facts of it and exemplars for tests of prompts, and the prompt that is built from them."""

from records import make_candidate, make_evaluation, make_task, make_win

from cuda_l1 import prompts
from cuda_l1.types import Evaluation, Exemplar, Finding, Kernel, Status, TaskFacts, TensorSpec

TASK = make_task()
FACTS = TaskFacts(
    inputs=(TensorSpec(shape=(16, 4096), dtype="float32"),),
    outputs=(TensorSpec(shape=(16,), dtype="float32"),),
    weights={"fc.weight": TensorSpec(shape=(16, 16), dtype="float32")},
    flops={"convolution": 0, "product": 2 * 10**9},
    moved_bytes=3 << 20,
    byte_us=12.5,
    operation_us=40.0,
    bytes_per_s=4.1e12,
    flops_per_s={"fp32": 5e13, "bf16": 8e14},
    cache_bytes=50 << 20,
    kernels=(
        Kernel(name="sgemm", count=2, us=75.0, bytes=1 << 20, registers=96, occupancy=0.25, local_bytes=64),
        Kernel(name="relu", count=1, us=24.9),
        Kernel(name="fill", count=1, us=0.1),
    ),
)


def built(exemplars: list[Exemplar] | tuple[()] = (), **options: object) -> prompts.Prompt:
    return prompts.build(TASK, exemplars, device_name="NVIDIA H200", **options)  # type: ignore[arg-type]


def user(exemplars: list[Exemplar] | tuple[()] = (), **options: object) -> str:
    system, message = built(exemplars, **options).messages
    assert (system["role"], message["role"]) == ("system", "user")
    assert system["content"]
    return message["content"]


def winner(code: str = "class ModelNew: pass", value: float = 2.0, **fields: object) -> Exemplar:
    evaluation = {key: fields.pop(key) for key in list(fields) if key in Evaluation.model_fields}
    candidate = make_candidate(TASK, code, **fields)
    return Exemplar(candidate=candidate, evaluation=make_win(candidate, value, eager=value * 2, **evaluation))


def failed(status: Status, check: str, detail: str, log: str = "", code: str = "class ModelNew: bad = 1") -> Exemplar:
    candidate = make_candidate(TASK, code)
    finding = Finding(check=check, detail=detail)
    return Exemplar(candidate=candidate, evaluation=make_evaluation(candidate, status, findings=(finding,), log=log))


def wrong(status: Status, check: str, detail: str, log: str = "") -> str:
    return prompts.what_went_wrong(failed(status, check, detail, log).evaluation)


# The parts.
