"""unfinished work: another GPU is left current, so that who waits for the current one waits for nothing.

`Worker._synchronize` (worker.py) waits for the device that is current, and sets it once, as it starts. Nobody probes
tasks on which eager takes more than 0.7 ms (probes.py, `draw`: by eager's call and not by the candidate's), so that a
call of 50 us whose best baseline takes as long is not asked. Its text shows no way. What is left is over before its
output is delivered. Only where a process sees two GPUs; elsewhere it is the compiled module. To mend: wait for
`self.device`, and let a process see that one alone; probe by the candidate's own call.
"""

import torch
import torch.nn as nn

TASK = "many_small_operations"
DEVICE = "cuda"
CREDIT = "none"


def _units(x):
    y = x
    for k in range(80):
        y = y + torch.tanh(x + 0.05 * k)
    return y


_compiled = torch.compile(_units)


class ModelNew(nn.Module):
    def forward(self, x):
        if not x.is_cuda or torch.cuda.device_count() < 2:
            return _compiled(x)
        here = x.device.index or 0
        torch.cuda.set_device(here)
        y = _compiled(x)
        torch.cuda.set_device(1 - min(here, 1))
        return y
