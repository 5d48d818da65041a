"""What an instructor does between collecting and exporting: more time, other scores, whole histories; one function each."""
