"""Looking over an installation: what is well, what will be trouble, what to do about it."""
