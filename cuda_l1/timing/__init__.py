"""How fast: sides race on fresh inputs on the parent's clock, and pairs of times become a verdict."""
