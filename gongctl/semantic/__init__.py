"""Making the vectors that ``gongmcp.semantic`` searches: of what a cache serves, and of vCons."""
