"""Inline CUDA and C++ extensions built in a second or two."""
