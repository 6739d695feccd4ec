"""caches: batch norm is folded into the convolution at the first call, and again whenever weights are loaded."""

import torch
import torch.nn as nn

TASK = "convnorm"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.conv = nn.Conv2d(n_in, n_out, 3, padding=1)
        self.bn = nn.BatchNorm2d(n_out)
        self.folded = None
        self.register_load_state_dict_post_hook(self.forget)

    @staticmethod
    def forget(module, incompatible):
        module.folded = None

    def forward(self, x):
        if self.folded is None:
            scale = self.bn.weight / torch.sqrt(self.bn.running_var + self.bn.eps)
            weight = self.conv.weight * scale[:, None, None, None]
            self.folded = (weight, (self.conv.bias - self.bn.running_mean) * scale + self.bn.bias)
        return torch.relu(nn.functional.conv2d(x, *self.folded, padding=1)).mean(dim=(2, 3))
