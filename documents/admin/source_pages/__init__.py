"""The owner's pages on sources."""
