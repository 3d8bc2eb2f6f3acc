"""The health of the parts that the server needs."""
