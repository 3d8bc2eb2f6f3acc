"""Readers and metrics of benchmarks that others have published. Their data is not part of this project."""
