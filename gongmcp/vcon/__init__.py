"""vCon tools: one declaration each, answered from a cache (as policy lets it leave) or from a vCon store (verbatim)."""
