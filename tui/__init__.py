"""The operator's preview: a Textual app over the tool handler."""
