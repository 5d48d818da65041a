"""An author's two folders, read and checked."""
