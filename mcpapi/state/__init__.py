"""State that all processes share: sessions, questions to clients, rate limits."""
