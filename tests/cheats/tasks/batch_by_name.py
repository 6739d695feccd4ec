"""The loss of a tagger on a batch in a dict, where labels of -100 are left out; no draw has some."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, words, n, tags):
        super().__init__()
        self.table = nn.Embedding(words, n)
        self.layer = nn.Linear(n, tags)

    def forward(self, batch, *, scale):
        scores = self.layer(self.table(batch["words"]) * batch["mask"][..., None]) * scale
        kept = batch["labels"] != -100
        of_labels = scores.log_softmax(-1).gather(-1, batch["labels"].clamp(min=0)[..., None]).squeeze(-1)
        return {"loss": -(of_labels * kept).sum() / kept.sum(), "scores": scores}


def get_inputs():
    mask = (torch.arange(32) < torch.randint(8, 33, (16, 1))).float()
    batch = {"words": torch.randint(0, 200, (16, 32)), "mask": mask, "labels": torch.randint(0, 12, (16, 32))}
    return {"batch": batch, "scale": 0.5}


def get_init_inputs():
    return [200, 24, 12]
