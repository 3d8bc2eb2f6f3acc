"""JSON-RPC messages and what travels with them."""
