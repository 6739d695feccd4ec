"""What each part of a candidate is worth: subsets of its parts, judged side by side, and the algebra of their speedups.

A Plan (the subsets as candidates) comes from switches in the candidate's own text or from techniques that compose
(`plans`, `switches`) or from a model's answers (`questions`); `study` judges it and puts the numbers of `lattice`
beside it; `page` writes them for people. The claim under test is the paper's (arXiv 2507.14111) that optimisations
multiply. NOT covered: interactions with the size of the input, the device or other tasks.
"""
