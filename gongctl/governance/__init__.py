"""The operator's side of governance: judging cached calls by scope and restricted list, and reporting on it."""
