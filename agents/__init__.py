"""Agents: a personality, arguments and messages that an assistant works with."""
