"""The audit trail: what left, to whom, by which tool, under which policy. It names nobody and holds no value."""
