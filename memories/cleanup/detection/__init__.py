"""What could be tidied up, found by rules: one module for each kind of finding."""
