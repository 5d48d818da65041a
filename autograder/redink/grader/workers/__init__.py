"""Workers: jobs of plain bytes, done by processes that may be killed and replaced."""
