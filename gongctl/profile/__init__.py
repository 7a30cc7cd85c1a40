"""Business profiles: how a company maps its own CRM onto lifecycle buckets and methodology concepts."""
