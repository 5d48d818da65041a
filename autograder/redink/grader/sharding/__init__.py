"""Grading a class on machines that share nothing: a packed class, its shards, and merging what they found."""
