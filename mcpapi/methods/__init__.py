"""The methods that clients call, independent of the era."""
