"""The MCP side: a handler as an MCP server. The only package that knows the SDK.

Importing it loads nothing of the SDK; ``server`` and ``sdk`` do.
"""
