"""Governance: which calls must never leave, and how a text is judged against the private list."""
