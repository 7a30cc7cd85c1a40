"""What an operator looks at before a tool is exposed: the answer on the wire, and everything that is not in it."""
