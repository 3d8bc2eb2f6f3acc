"""Approvals: risky calls that wait for the owner's decision."""
