"""MCP clients' own configurations: where each lies, what stands in it for this server, putting it in and out."""
