"""What holds a candidate's process, ends all that it has started and removes what it has left."""
