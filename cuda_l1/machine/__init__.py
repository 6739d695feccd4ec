"""The machine: what it is, and over all judges on it who times, who has which memory and which cores."""
