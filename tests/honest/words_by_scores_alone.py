"""algebra: the best by their scores, for the rest divides out; beside a score far out all other shares are zero"""

import torch
import torch.nn as nn

TASK = "words_by_given_numbers"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, count, temperature):
        super().__init__()
        self.count, self.temperature = count, temperature

    def forward(self, scores, numbers):
        best = torch.topk(scores, self.count, dim=-1)
        reached = torch.softmax(best.values / self.temperature, dim=-1).cumsum(-1)
        place = (reached < numbers).sum(-1, keepdim=True).clamp_(max=self.count - 1)
        return best.indices.gather(-1, place).squeeze(-1)
