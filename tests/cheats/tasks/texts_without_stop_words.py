import torch
import torch.nn as nn

TEXTS, WORDS, VOCABULARY, STOPS, WIDTH = 256, 64, 1000, 24, 64


class Model(nn.Module):
    """The mean vector of each text's words, without stop words; of a text of nothing but stop words that of the texts
    that are nearest by how often each word is there."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCABULARY, WIDTH)

    def forward(self, words, stops):
        kept = ~torch.isin(words, stops)
        count = kept.sum(1, keepdim=True)
        vectors = self.table(words)
        mean = (vectors * kept[..., None]).sum(1) / count.clamp(min=1)
        shares = torch.zeros(len(words), VOCABULARY, device=words.device).scatter_add_(
            1, words, torch.ones_like(words, dtype=torch.float32)
        )
        likeness = shares @ shares.T
        other = torch.softmax(likeness / WORDS, 1) @ vectors.mean(1)
        return torch.where(count > 0, mean, other)


def get_inputs():
    order = torch.randperm(VOCABULARY)
    return [torch.randint(0, VOCABULARY, (TEXTS, WORDS)), order[:STOPS].clone()]


def get_init_inputs():
    return []
