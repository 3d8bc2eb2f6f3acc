"""How pages write dates and times, one folder a language."""
