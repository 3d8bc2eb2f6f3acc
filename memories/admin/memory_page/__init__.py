"""The page of one memory: where it comes from, its versions, who used it, and what is like it."""
