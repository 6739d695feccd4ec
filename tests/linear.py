"""A task of one linear layer, and candidates for it that differ where a test says."""

from cuda_l1.judge import Session
from cuda_l1.types import Candidate, Evaluation, Task, Verdict

HEAD = "import torch\nimport torch.nn as nn\n\n"
LINEAR = HEAD + (
    "class Model(nn.Module):\n"
    "    def __init__(self, n):\n"
    "        super().__init__()\n"
    "        self.fc = nn.Linear(n, n)\n"
    "    def forward(self, x):\n"
    "        return torch.relu(self.fc(x))\n\n"
    "def get_inputs():\n    return [torch.randn(32, 64)]\n\n"
    "def get_init_inputs():\n    return [64]\n"
)


def task(source: str = LINEAR, **fields: object) -> Task:
    return Task(id="local/test", name="test", source=source, **fields)


def rewrite(old: str = "", new: str = "", source: str = LINEAR) -> Candidate:
    assert old in source
    code = source.replace("class Model(", "class ModelNew(")
    code = code.replace(old, new) if old else code
    return Candidate(task_id="local/test", code=code, origin="human")


def forward(body: str) -> Candidate:
    return rewrite(
        "        return torch.relu(self.fc(x))\n", "".join(f"        {line}\n" for line in body.splitlines())
    )


def certain(session: Session, candidate: Candidate) -> Evaluation:
    """The first word of three that is not AMBIGUOUS: so the judge calls what a busy machine lets nobody say."""
    for _ in range(3):
        evaluation = session.evaluate(candidate)
        if evaluation.verdict is not Verdict.AMBIGUOUS:
            break
    return evaluation
