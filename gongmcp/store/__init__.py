"""What is read: the schema shared with the writers, the one read-only connection, queries by topic."""
