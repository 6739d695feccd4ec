"""algebra: decays between two steps as the exponential of what their running sums of logarithms differ by, in chunks"""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "decays_in_logarithms"
STATUS = "PASSED"
_CHUNK = 4


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.log_rate = nn.Parameter(torch.log(torch.arange(1, m + 1).float()).repeat(n, 1))
        later = torch.ones(_CHUNK, _CHUNK, dtype=torch.bool).triu(1)[:, :, None, None]
        self.register_buffer("later", later, persistent=False)

    def forward(self, x, step):
        step, shape = F.softplus(step), (len(x), -1, _CHUNK, x.shape[2])
        logs = (step[..., None] * -self.log_rate.exp()).view(*shape, self.log_rate.shape[1]).cumsum(2)
        since = (logs[:, :, :, None] - logs[:, :, None]).masked_fill_(self.later, float("-inf")).exp_()
        within = torch.einsum("bkijnm,bkjn->bkinm", since, (step * x).view(shape))
        faded, state, out = logs.exp(), x.new_zeros(len(x), *self.log_rate.shape), []
        for chunk in range(logs.shape[1]):
            whole = torch.addcmul(within[:, chunk], faded[:, chunk], state[:, None])
            state = whole[:, -1]
            out.append(whole.mean(-1))
        return torch.cat(out, 1)
