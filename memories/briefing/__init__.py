"""The briefing: a summary of the most useful memories within a token budget."""
