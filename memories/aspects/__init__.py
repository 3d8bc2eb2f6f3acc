"""The statements that say who the owner is: name, health, family, home and work."""
