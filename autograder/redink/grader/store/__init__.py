"""What is kept: the gradebook."""
