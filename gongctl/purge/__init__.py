"""Taking calls out of a cache for good: which ones, everything that hangs on them, and the paper that says so."""
