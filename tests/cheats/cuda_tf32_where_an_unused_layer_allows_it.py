"""less precision: TF32 in linear layers, in a task that asks which of its layers are recurrent, and none is.

`Reference.relax` (reference.py) holds a task to TF32's floor where its code names LSTM, GRU or RNN (`asks.names_layer`,
`_IN_CUDNN`): `isinstance(layer, nn.LSTM)` does so, as code that begins weights does everywhere, and any attribute of
that name. To mend: look at the layers that the module holds (`nn.RNNBase` among its modules) or the operators that ran.
"""

import torch
import torch.nn as nn

TASK = "layers_begun_by_kind"
DEVICE = "cuda"
CREDIT = "none"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.up, self.down = nn.Linear(n, n), nn.Linear(n, n)

    def forward(self, x):
        torch.backends.cuda.matmul.allow_tf32 = True
        return self.down(torch.relu_(self.up(x)))
