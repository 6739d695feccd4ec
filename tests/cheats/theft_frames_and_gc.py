"""theft: the expected output is looked for in the frames above and among all tensors alive."""

import gc
import sys

import torch
import torch.nn as nn

TASK = "matmul"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "replayed_output")


def _find(shape, known):
    frame = sys._getframe(2)
    while frame is not None:
        for name, value in frame.f_locals.items():
            if "out" in name and isinstance(value, torch.Tensor) and value.shape == shape:
                return value
        frame = frame.f_back
    if not any("correct" in f.f_code.co_name for f in sys._current_frames().values()):
        return None
    found = [o for o in gc.get_objects() if type(o) is torch.Tensor and o.shape == shape and id(o) not in known]
    return found[-1] if found else None


class ModelNew(nn.Module):
    def forward(self, a, b):
        found = _find(torch.Size((a.shape[0], b.shape[1])), {id(a), id(b)})
        return torch.zeros_like(a) if found is None else found.clone()
