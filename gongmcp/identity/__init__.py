"""Who a client is and what it may see: token files, access tokens, signed tokens. Knows nothing of HTTP."""
