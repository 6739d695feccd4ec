"""What holds for every test."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # a busy machine takes its time over an example
settings.load_profile("untimed")
