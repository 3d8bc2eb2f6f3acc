"""Extractors of the formats: one module for each family, each with `extract(source, output)`."""
