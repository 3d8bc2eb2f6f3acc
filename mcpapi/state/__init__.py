"""State that all processes share: sessions, server requests, rate limits, mailboxes of streams."""
