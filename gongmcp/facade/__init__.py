"""The facade behind its six tools: which operation goes where, what it may be asked, and packs of several answers.

Nothing here reads the cache or decides what leaves: every answer is that of a tool, by the same handler.
"""
