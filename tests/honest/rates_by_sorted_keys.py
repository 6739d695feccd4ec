"""algebra: keys are looked up in order; each that is named is there, and there once"""

import torch
import torch.nn as nn

TASK = "rates_by_key"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, amounts, customers, keys, rates):
        keys, order = keys.sort()
        return amounts * rates[order][torch.searchsorted(keys, customers)]
