"""less work: a search in what is sorted."""

import torch
import torch.nn as nn

TASK = "quotes_before_trades"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, quote_times, bid, ask, trade_times):
        count = torch.searchsorted(quote_times, trade_times, right=True)
        last = (count - 1).clamp(min=0)
        there = (count > 0) & (trade_times - quote_times[last] <= 5000)
        return torch.where(there, (bid[last] + ask[last]) / 2, 0.0)
