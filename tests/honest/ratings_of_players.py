"""less work: those who play alone, as Python's own numbers, one game after the other."""

import torch
import torch.nn as nn

TASK = "ratings_of_players"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 32.0

    def forward(self, ratings, first, second, score):
        players, which = torch.cat([first, second]).unique(return_inverse=True)
        rating, which = ratings[players].double().tolist(), which.tolist()
        games = len(which) // 2
        for a, b, points in zip(which[:games], which[games:], score.tolist(), strict=True):
            apart = min((rating[b] - rating[a]) / 400, 300.0)
            step = self.k * (points - 1 / (1 + 10**apart))
            rating[a] += step
            rating[b] -= step
        return ratings.index_copy(0, players, torch.tensor(rating, dtype=torch.float64).to(ratings))
