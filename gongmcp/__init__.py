"""Read-only MCP server over a local cache of Gong calls: everything that reads lives here."""

__version__ = "0.1.0"
