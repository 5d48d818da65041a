"""What is known of a submission when it is judged: packed, kept under keys, and read only where it is needed."""
