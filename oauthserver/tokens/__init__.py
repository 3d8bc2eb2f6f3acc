"""Issued tokens, signing keys and trusted external issuers."""
