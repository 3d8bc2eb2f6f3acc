"""What an app would receive for a question, and why."""
