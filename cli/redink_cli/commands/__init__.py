"""The commands, grouped by what they are for; `app.py` finds each by its name and imports nothing else."""
