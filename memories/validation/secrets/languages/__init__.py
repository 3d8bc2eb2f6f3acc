"""Words that surround secrets, in each language."""
