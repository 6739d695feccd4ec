"""A worker, from the nursery that bears it to what it does when it is asked, and the parent's hold on it."""
