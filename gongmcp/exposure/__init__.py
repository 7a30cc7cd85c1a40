"""What may leave the process: field classes, policy, the one disclosure engine and its ledger."""
