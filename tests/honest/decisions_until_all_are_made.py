"""less work: no more rounds down a tree of decisions once all rows are at its leaves."""

import torch
import torch.nn as nn

TASK = "tree_of_decisions"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, feature, threshold, left, right, value):
        itself = torch.arange(len(left), device=x.device)
        is_leaf = left < 0
        children = torch.stack([torch.where(is_leaf, itself, right), torch.where(is_leaf, itself, left)], 1).reshape(-1)
        rows = torch.arange(len(x), device=x.device) * x.shape[1]
        flat, node = x.reshape(-1), torch.zeros(len(x), dtype=torch.long, device=x.device)
        for done in range(128):
            goes_left = flat[rows + feature[node]] <= threshold[node]
            node = children[2 * node + goes_left]
            if done % 8 == 7 and bool(is_leaf[node].all()):
                break
        return value[node]
