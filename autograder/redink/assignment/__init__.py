"""An assignment as a student has it."""
