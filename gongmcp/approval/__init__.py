"""The approval lock: what an operator approved, and keeping the server to it."""
