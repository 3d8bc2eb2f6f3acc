"""Budgets: limits that owners set on what apps may use per day or month."""
