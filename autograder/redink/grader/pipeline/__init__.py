"""The way of a submission: collect → load → observe → judge → diagnose → score → record → report."""
