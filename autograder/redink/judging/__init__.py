"""The rules of judging: from what was seen, what was expected and the inputs to verdicts, hints and what students read."""
