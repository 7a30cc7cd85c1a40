"""The JSON schemas of the IETF working group vcon, as published with its drafts; their notice is ``NOTICE.md``."""
