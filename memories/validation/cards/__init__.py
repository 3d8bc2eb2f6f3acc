"""Pure functions that recognize payment card numbers among other numbers."""
