"""A noise gate: frames 40 dB below the loudest of their recording are silenced."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, frame):
        super().__init__()
        self.frame = frame

    def forward(self, audio):
        frames = audio.unfold(-1, self.frame, self.frame)
        level = 10 * torch.log10(frames.square().mean(-1).clamp(min=1e-10))
        is_open = level >= level.amax(-1, keepdim=True) - 40
        return (frames * is_open[..., None]).reshape(audio.shape)


def get_inputs():
    return [torch.randn(8, 64000)]


def get_init_inputs():
    return [400]
