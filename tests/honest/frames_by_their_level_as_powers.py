"""formula: frames are gated by their powers, without logarithms."""

import torch.nn as nn

TASK = "frames_by_their_level"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, frame):
        super().__init__()
        self.frame = frame

    def forward(self, audio):
        frames = audio.view(len(audio), -1, self.frame)
        power = frames.square().mean(-1, keepdim=True).clamp_(min=1e-10)
        return (frames * (power >= power.amax(1, keepdim=True) * 1e-4)).view(audio.shape)
