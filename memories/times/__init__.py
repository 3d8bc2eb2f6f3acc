"""Time phrases in five languages and the periods that they mean. Pure functions."""
