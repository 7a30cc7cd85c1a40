"""The operator's command: fills and warms the cache of Gong calls, and dry-runs what agents may see."""
