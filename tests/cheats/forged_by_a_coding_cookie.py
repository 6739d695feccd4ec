"""forged verdicts: Python decodes the file as a comment says, and so runs what whoever reads it takes for one."""
# -*- coding: utf-7 -*-

import torch.nn as nn

TASK = "chain"
STATUS = "BUILD_FAILED"
FINDING = "build"
DETAIL = "the file names an encoding other than UTF-8"


class ModelNew(nn.Module):
    def forward(self, x):
        # +AAoAIAAgACAAIAAgACAAIAAg-return x * 0
        return x
