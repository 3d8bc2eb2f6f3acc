"""The changes of memories as the pages show them: kinds, lines with the difference, and change sets."""
