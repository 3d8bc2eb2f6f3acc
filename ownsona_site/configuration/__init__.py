"""Settings from the environment, the data folder and the system checks."""
