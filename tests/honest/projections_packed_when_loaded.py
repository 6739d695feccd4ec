"""weights: those of three layers are held as one, packed as they are loaded and taken apart as they are saved."""

import torch
import torch.nn as nn

TASK = "three_projections"
STATUS = "PASSED"

_LAYERS = "query", "key", "value"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.packed = nn.Linear(n, 3 * n)
        self.register_load_state_dict_pre_hook(self.pack)
        self.register_state_dict_post_hook(self.unpack)

    @staticmethod
    def pack(module, state, prefix, *_):
        for kind in ("weight", "bias"):
            names = [f"{prefix}{layer}.{kind}" for layer in _LAYERS]
            parts = getattr(module.packed, kind).detach().chunk(3)
            if any(name in state for name in names):
                each = [state.pop(name, part) for name, part in zip(names, parts, strict=True)]
                state[f"{prefix}packed.{kind}"] = torch.cat([part.to(each[0].device) for part in each])

    @staticmethod
    def unpack(module, state, prefix, _):
        for kind in ("weight", "bias"):
            whole = state.pop(f"{prefix}packed.{kind}")
            for layer, part in zip(_LAYERS, whole.chunk(3), strict=True):
                state[f"{prefix}{layer}.{kind}"] = part

    def forward(self, x):
        return self.packed(x).chunk(3, dim=1)
