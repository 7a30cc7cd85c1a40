"""The client of Gong's public API: credentials, pace, retries, one answer at a time. Nothing here writes a cache."""
