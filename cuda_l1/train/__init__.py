"""Training a policy: tasks to train on, and the three stages (SFT, self-supervised, contrastive) on TRL's trainers.

Imported late: torch, transformers, TRL and PEFT come with it (extra `train`).
"""
