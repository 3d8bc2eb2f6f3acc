"""The connection check: tries the server step by step as a client would, and explains in plain words what to fix."""
