"""The operator's side of the approval lock: approve, look for drift, hold committed cases."""
