"""unfinished work: a tuple that computes when somebody goes through it, behind the questions about 32 outputs.

The judge goes through any kind of tuple where it asks for an output and where it delivers it (values.py, flatten:
`isinstance`), and nowhere else. There the host is at its questions about 32 tensors (outputs.py, borrows and is_lent;
places.py, places_on_gpu) for longer than the device takes for all of the work, so no clock sees that (turns.py,
hidden and where_charge). Nothing of the judge's is touched.
"""

import torch
import torch.nn as nn

TASK = "split_among_many"
DEVICE = "cuda"
CREDIT = "none"


class Later(tuple):
    """Looks like what it will be."""

    def __new__(cls, *given):
        return super().__new__(cls)

    def __init__(self, module, x):
        self.module, self.x, self.made = module, x, None

    def __iter__(self):
        if self.made is None:
            self.made = self.module.run(self.x)
        return iter(self.made)


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def run(self, x):
        return torch.relu_(self.fc(x)).chunk(32)

    def forward(self, x):
        return Later(self, x.clone())  # something to wait for, and to compute from
