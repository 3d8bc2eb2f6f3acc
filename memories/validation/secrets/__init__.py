"""Pure functions that recognize secrets: tokens, account and identity numbers, and secrets described in sentences."""
