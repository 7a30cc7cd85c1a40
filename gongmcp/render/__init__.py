"""Structured answer to what a reader sees: formatted text, wire bytes, sizes."""
