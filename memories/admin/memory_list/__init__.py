"""The list of memories: its search box, its filters with counts, its rows and its actions."""
