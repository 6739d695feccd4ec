"""formula: an autocorrelation by products in place of a Fourier transform, of half of the lags at a time."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "frames_by_their_pitch"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, frame, least, most):
        super().__init__()
        self.frame, self.least, self.most = frame, least, most

    def forward(self, audio):
        frames = audio.view(-1, self.frame)
        centred = frames - frames.mean(-1, keepdim=True)
        later = F.pad(centred, (0, self.frame)).unfold(-1, self.frame, 1)
        peak = torch.bmm(later[:, self.least : self.most], centred[..., None]).amax(1)
        voiced = peak > 0.5 * centred.square().sum(-1, keepdim=True).clamp(min=1e-8)
        return torch.where(voiced, frames, 0.1 * frames).view(audio.shape)
