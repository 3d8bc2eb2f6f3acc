"""`/metrics`: numbers for Prometheus."""
