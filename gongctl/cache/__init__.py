"""The cache's writing side: create, migrate, upsert, warm, count. The schema is ``gongmcp.store.schema``."""
