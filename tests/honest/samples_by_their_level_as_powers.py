"""formula: frames in 16 bits are gated by their powers, without logarithms."""

import torch.nn as nn

TASK = "samples_by_their_level"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, frame):
        super().__init__()
        self.frame = frame

    def forward(self, audio):
        frames = audio.float().view(len(audio), -1, self.frame)
        power = frames.square().sum(-1, keepdim=True).clamp_(min=self.frame)
        return (frames * (power >= power.amax(1, keepdim=True) * 1e-4)).view(audio.shape)
