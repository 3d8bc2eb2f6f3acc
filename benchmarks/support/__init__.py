"""Parts that several benchmarks share: a database, texts, datasets, load and baselines."""
