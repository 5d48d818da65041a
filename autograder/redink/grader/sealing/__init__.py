"""Answer keys in one encrypted file, for a machine that has no solutions/."""
