"""`python -m cuda_l1.cli`."""

from cuda_l1.cli import main

main()
