"""A noise gate of recordings in 16 bits: frames 40 dB below the loudest are silenced."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, frame):
        super().__init__()
        self.frame = frame

    def forward(self, audio):
        frames = audio.float().unfold(-1, self.frame, self.frame)
        level = 10 * torch.log10(frames.square().mean(-1).clamp(min=1.0))
        is_open = level >= level.amax(-1, keepdim=True) - 40
        return (frames * is_open[..., None]).reshape(audio.shape)


def get_inputs():
    return [torch.randint(-20000, 20000, (8, 64000), dtype=torch.int16)]


def get_init_inputs():
    return [400]
