"""The pages on which the owner manages tags and their synonyms."""
