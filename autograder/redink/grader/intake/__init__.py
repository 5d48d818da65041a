"""What was handed in, as a tree of names: a folder or an archive, of which nothing is believed and no link followed."""
