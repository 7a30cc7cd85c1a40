"""The attacks of ``gongctl redteam``: what an agent that means ill could try over the real stdio server."""
