"""The methods that clients call, in terms that every era shares."""
