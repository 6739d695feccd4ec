"""algebra: what all rewards are worth at first, by one product with powers of their places."""

import torch
import torch.nn as nn

TASK = "return_of_rewards"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, rewards):
        places = torch.arange(rewards.shape[1], dtype=torch.float32, device=rewards.device)
        return torch.matmul(0.9**places, rewards)
