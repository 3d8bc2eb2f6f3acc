"""Tests of the repository: imports, documentation, the requirements of the specification."""
