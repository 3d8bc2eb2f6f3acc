"""The connection check: tries the server step by step as a client would, and says in plain words what to mend."""
