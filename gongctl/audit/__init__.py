"""The operator's side of the audit log: reading it, reporting on it, and resolving what it says in place of names."""
