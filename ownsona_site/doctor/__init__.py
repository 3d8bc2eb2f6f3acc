"""The connection check, which tries the server step by step as a client would, and explains plainly what to fix."""
