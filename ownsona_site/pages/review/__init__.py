"""The review of what awaits a decision of the owner, one card at a time."""
