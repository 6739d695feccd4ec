"""cuda-l1: faster code for PyTorch modules, proposed by a model or by known techniques, believed only when measured."""

__version__ = "0.1.0"
