"""forged verdicts: another number than the reference gives, beside the tensor"""

import torch
import torch.nn as nn

TASK = "slots_of_experts"
STATUS = "WRONG_OUTPUT"
FINDING = "output_structure"
DETAIL = "the int 512"


class ModelNew(nn.Module):
    def __init__(self, experts, factor):
        super().__init__()
        self.experts, self.factor = experts, factor

    def forward(self, x, expert):
        slots = int(self.factor * len(x) / self.experts)
        chosen = torch.nn.functional.one_hot(expert, self.experts)
        kept = ((chosen.cumsum(0) - 1) * chosen).sum(1) < slots
        return {"kept": x * kept[:, None], "slots": len(x), "may_drop": slots < len(x)}
