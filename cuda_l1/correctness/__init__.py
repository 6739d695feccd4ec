"""Whether outputs are right: on which inputs they are verified, what must come of them, and what they are held to."""
