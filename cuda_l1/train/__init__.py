"""Training: tasks to train on, the data of stage 1, and the stages themselves. KernelBench is never trained on."""
