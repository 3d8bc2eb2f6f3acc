"""The relation between two statements: the same fact, a contradiction, or a correction."""
