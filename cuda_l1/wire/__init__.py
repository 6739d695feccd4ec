"""What joins the judge and a worker: messages and signals, memory that both map, values on their way, seals."""
