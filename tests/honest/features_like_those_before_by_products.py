"""formula: likeness of frames by products, and a mean by what is added to one."""

import torch.nn as nn

TASK = "features_like_those_before"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, least):
        super().__init__()
        self.least = least

    def forward(self, features):
        flat = features.flatten(2)
        sizes = flat.square().sum(-1)
        products = (flat[:, 1:] * flat[:, :-1]).sum(-1)
        alike = products > self.least * (sizes[:, 1:] * sizes[:, :-1]).sqrt_()
        made = features.clone()
        share = (0.5 * alike)[..., None, None, None]
        made[:, 1:].lerp_(features[:, :-1], share)
        return made
