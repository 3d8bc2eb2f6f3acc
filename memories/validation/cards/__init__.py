"""Recognition of payment card numbers among other numbers: pure functions."""
