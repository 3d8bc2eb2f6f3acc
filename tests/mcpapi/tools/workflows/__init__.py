"""Tests of the tools that run workflows."""
