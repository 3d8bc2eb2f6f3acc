"""The pages on which the owner reviews plans."""
