"""What a task's inputs and weights are by their looks, and what else they are drawn as."""
