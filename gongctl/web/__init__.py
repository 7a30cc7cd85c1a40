"""The TUI in a browser on this machine."""
