"""The pages on which the owner undoes changes."""
