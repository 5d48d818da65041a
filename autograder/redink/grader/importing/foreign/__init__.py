"""Reading what other tools wrote: notebooks, marks and test files; one module each, and `reading`, which chooses."""
