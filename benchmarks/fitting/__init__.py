"""The fitting of weights and estimates to questions with known answers."""
