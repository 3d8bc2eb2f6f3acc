"""Documents as the journal and the undo need them."""
